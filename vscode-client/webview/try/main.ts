import { render } from "lit";
import { argumentsOf, type FormValues, initialValues, parseArguments } from "../../src/form/fields.ts";
import type { FromTry, ToTry, TryState } from "../../src/try/messages.ts";
import { type TryActions, type TryLocal, tryPage } from "./page.ts";
import "./style.css";

interface Kept {
  readonly values: FormValues;
  /** The arguments as JSON, where the person writes them so. */
  readonly json: string | undefined;
}

declare function acquireVsCodeApi(): {
  postMessage(message: FromTry): void;
  getState(): Kept | undefined;
  setState(state: Kept): void;
};

const editor = acquireVsCodeApi();
let state: TryState | undefined;
let local: TryLocal | undefined;

const actions: TryActions = {
  send: (message) => editor.postMessage(message),
  change(change) {
    if (local) {
      local = { ...local, problems: {}, ...change };
      editor.setState({ values: local.values, json: local.json });
      show();
    }
  },
  run() {
    if (!state || !local || state.running) {
      return;
    }
    if (local.json !== undefined) {
      const parsed = parseArguments(local.json);
      return "problem" in parsed
        ? actions.change({ problems: { json: parsed.problem } })
        : actions.send({ type: "run", arguments: parsed.arguments });
    }
    const made = argumentsOf(state.fields, local.values);
    if ("problems" in made) {
      actions.change({ problems: made.problems });
      document.querySelector<HTMLElement>("[data-field]:has(.problem) :is(vscode-textfield, vscode-textarea)")?.focus();
    } else {
      actions.send({ type: "run", arguments: made.arguments });
    }
  },
};

window.addEventListener("message", ({ data }: MessageEvent<ToTry>) => {
  state = data.state;
  const kept = editor.getState();
  local ??= {
    values: kept?.values ?? initialValues(state.fields, state.used),
    json: kept?.json,
    problems: {},
    whole: new Set(),
  };
  show();
});

document.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    actions.run();
  }
});

editor.postMessage({ type: "ready" });

function show(): void {
  if (state && local) {
    render(tryPage(state, local, actions), document.body);
  }
}

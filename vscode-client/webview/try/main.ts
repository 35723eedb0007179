import "../language.ts";
import { render } from "lit";
import type { FromTry, ToTry, TryState } from "../../src/try/messages.ts";
import { read, type Written, written } from "../argumentsForm.ts";
import "../elements.ts";
import { type TryActions, type TryLocal, tryPage } from "./page.ts";
import "./style.css";

type Kept = Pick<Written, "values" | "json">;

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
      local = { ...local, ...change };
      const { values, json } = local.written;
      editor.setState({ values, json });
      show();
    }
  },
  run() {
    if (!state || !local || state.running) {
      return;
    }
    const made = read(state.fields, local.written);
    if ("problems" in made) {
      actions.change({ written: { ...local.written, problems: made.problems } });
      document.querySelector<HTMLElement>("[data-field]:has(.problem) :is(vscode-textfield, vscode-textarea)")?.focus();
    } else {
      actions.send({ type: "run", arguments: made.arguments });
    }
  },
};

window.addEventListener("message", ({ data }: MessageEvent<ToTry>) => {
  state = data.state;
  local ??= {
    written: { ...written(state.fields, state.used), ...editor.getState() },
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

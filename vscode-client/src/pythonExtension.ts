import { type Disposable, type Event, extensions, type LogOutputChannel, type Uri } from "vscode";

/** The part of the Python extension's API that is used here. */
interface PythonApi {
  environments: {
    getActiveEnvironmentPath(resource?: Uri): { path: string };
    resolveEnvironment(environment: { path: string }): Promise<{ executable: { uri?: Uri } } | undefined>;
    onDidChangeActiveEnvironmentPath: Event<unknown>;
  };
}

const ID = "ms-python.python"; // asked when present, never required: not every editor can install it
const LIMIT_MS = 3_000;

async function api(log: LogOutputChannel): Promise<PythonApi | undefined> {
  const extension = extensions.getExtension<PythonApi>(ID);
  if (!extension) return undefined;
  try {
    const found = await extension.activate();
    return found?.environments ? found : undefined;
  } catch (error) {
    log.warn(`The Python extension did not start, so its interpreter is not considered: ${String(error)}`);
    return undefined;
  }
}

/** The interpreter that is selected in the Python extension; undefined without one, or while it takes long to start. */
export async function pythonExtensionInterpreter(log: LogOutputChannel): Promise<string | undefined> {
  // Lint must not wait for another extension: what it says later arrives by `watchPythonExtension`.
  return Promise.race([selected(log), new Promise<undefined>((resolve) => setTimeout(resolve, LIMIT_MS, undefined))]);
}

/** Calls `changed` once the Python extension has started, and whenever another interpreter is selected there. */
export async function watchPythonExtension(log: LogOutputChannel, changed: () => void): Promise<Disposable> {
  const python = await api(log);
  if (!python) return { dispose: () => undefined };
  changed();
  return python.environments.onDidChangeActiveEnvironmentPath(changed);
}

async function selected(log: LogOutputChannel): Promise<string | undefined> {
  const python = await api(log);
  if (!python) return undefined;
  const environment = await python.environments.resolveEnvironment(python.environments.getActiveEnvironmentPath());
  return environment?.executable.uri?.fsPath;
}

import { ConfigurationTarget, workspace } from "vscode";
import { readSettings } from "../settings.ts";

/** The two lists of the settings; only one of them may be in use. */
export interface DefaultTools {
  readonly enabled: readonly string[];
  readonly disabled: readonly string[];
}

/**
 * The lists after built-in tools are switched. `all` are the names of each group; a group that is off or on as a whole
 * is written as one.
 */
export function switched(
  lists: DefaultTools,
  all: ReadonlyMap<string, readonly string[]>,
  names: readonly string[],
  on: boolean,
): DefaultTools {
  const wanted = new Set(names);
  if (lists.enabled.length > 0) {
    const kept = expand(lists.enabled, all).filter((name) => !wanted.has(name));
    return { enabled: fold(on ? [...kept, ...names] : kept, all), disabled: [] };
  }
  const kept = expand(lists.disabled, all).filter((name) => !wanted.has(name));
  return { enabled: [], disabled: fold(on ? kept : [...kept, ...names], all) };
}

/** Writes the lists to the person's own settings: a workspace cannot switch a tool on. */
export async function writeSwitches(
  all: ReadonlyMap<string, readonly string[]>,
  names: readonly string[],
  on: boolean,
): Promise<void> {
  const { enabledDefaultTools, disabledDefaultTools } = readSettings();
  const lists = switched({ enabled: enabledDefaultTools, disabled: disabledDefaultTools }, all, names, on);
  const section = workspace.getConfiguration("adal");
  if (lists.enabled.length === 0 && enabledDefaultTools.length > 0) {
    // An empty list would mean all of them: what is left is that none is on.
    await section.update("disabledDefaultTools", [...all.keys()], ConfigurationTarget.Global);
    await section.update("enabledDefaultTools", undefined, ConfigurationTarget.Global);
    return;
  }
  await section.update(
    "enabledDefaultTools",
    lists.enabled.length ? lists.enabled : undefined,
    ConfigurationTarget.Global,
  );
  const disabled = lists.disabled.length ? lists.disabled : undefined;
  await section.update("disabledDefaultTools", disabled, ConfigurationTarget.Global);
}

function expand(list: readonly string[], all: ReadonlyMap<string, readonly string[]>): string[] {
  return list.flatMap((word) => {
    const group = [...all].find(([name]) => name.toLowerCase() === word.trim().toLowerCase());
    return group ? [...group[1]] : [word.trim()];
  });
}

function fold(names: readonly string[], all: ReadonlyMap<string, readonly string[]>): string[] {
  const left = new Set(names);
  const folded: string[] = [];
  for (const [group, members] of all) {
    if (members.length > 0 && members.every((name) => left.has(name))) {
      folded.push(group);
      for (const name of members) left.delete(name);
    }
  }
  return [...folded, ...left];
}

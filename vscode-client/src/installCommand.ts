const PYTHON = String.raw`(?:& )?(?:"[^"\`$]+"|'[^']+'|[\w@%+=:,./\\~-]+)`;
const PACKAGE = `(?:--upgrade )?["']?[A-Za-z0-9._<>=-]+["']?`;
const COMMAND = new RegExp(String.raw`(?:^|[:;]\s)(${PYTHON} -m pip install ${PACKAGE})$`);

/**
 * The command at the end of a message of a load that failed.
 *
 * The message comes from a process that runs the workspace's code: nothing but an installation by pip is taken from it.
 */
export function installCommand(message: string): string | undefined {
  return COMMAND.exec(message)?.[1];
}

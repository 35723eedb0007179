// The elements that look like the editor's own. Pages import them once; templates only name them.
import "@vscode-elements/elements/dist/vscode-button/index.js";
import "@vscode-elements/elements/dist/vscode-single-select/index.js";
import { VscodeTextarea } from "@vscode-elements/elements/dist/vscode-textarea/index.js";
import "@vscode-elements/elements/dist/vscode-textfield/index.js";
import { css } from "lit";

// Its text touches its border, while the text field beside it keeps a distance.
VscodeTextarea.elementStyles.push(css`
  textarea {
    padding: 3px 4px;
  }
`);

import type { PermissionMode } from "../protocol.ts";

/** What the permission modes are called, and what they mean. */
export const MODES: Record<PermissionMode, { label: string; about: string }> = {
  default: { label: "Ask first", about: "Reading and searching in the workspace runs, everything else asks" },
  acceptEdits: { label: "Accept edits", about: "Edits in the workspace run too, everything else asks" },
  yolo: { label: "Yolo: never ask", about: "Everything that is not disabled runs without asking" },
};

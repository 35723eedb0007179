import { t } from "@vscode/l10n";
import type { ApprovalAnswer, ApprovalRequest, JsonObject } from "../protocol.ts";

/** Whether the server has taken its question back; a `CancellationToken` of the editor is one. */
export interface Withdrawal {
  readonly isCancellationRequested: boolean;
  onCancellationRequested(listener: () => void): unknown;
}

/** An approval that waits for the person. `arguments` are complete, or absent until they have been fetched. */
export interface WaitingApproval {
  readonly request: ApprovalRequest;
  readonly arguments?: JsonObject;
  /** Why the arguments could not be fetched. */
  readonly problem?: string;
}

/** What the person chose, with the digest of what was on the screen. */
export interface Choice {
  readonly approvalId: string;
  readonly argsDigest: string;
  readonly optionId: string;
  readonly feedback?: string;
  /** Arguments in the place of those that were shown; only with an answer that allows the call. */
  readonly updatedInput?: JsonObject;
}

interface Held {
  approval: WaitingApproval;
  readonly settle: (answer: ApprovalAnswer) => void;
}

/**
 * The questions of the server that the person has not answered yet. Nothing but `answer` ever selects an option;
 * whatever else ends a question ends it as cancelled.
 */
export class Approvals {
  readonly #held = new Map<string, Held>();
  #waiting: readonly WaitingApproval[] = [];

  /** Called after each change of `waiting`. */
  constructor(private readonly changed: () => void) {}

  /** In the order in which they were asked; another array after each change. */
  get waiting(): readonly WaitingApproval[] {
    return this.#waiting;
  }

  /** Holds `request` until the person decides or the server takes it back. An id asked again replaces the first. */
  ask(request: ApprovalRequest, withdrawal: Withdrawal): Promise<ApprovalAnswer> {
    this.withdraw(request.approvalId);
    return new Promise((settle) => {
      const approval = request.arguments ? { request, arguments: request.arguments } : { request };
      const held: Held = { approval, settle };
      this.#held.set(request.approvalId, held);
      const takeBack = () => {
        if (this.#held.get(request.approvalId) === held) {
          this.withdraw(request.approvalId);
        }
      };
      withdrawal.onCancellationRequested(takeBack);
      if (withdrawal.isCancellationRequested) {
        takeBack();
      }
      this.#update();
    });
  }

  /** The arguments of an approval that came without them. */
  supply(approvalId: string, supplied: { arguments: JsonObject } | { problem: string }): void {
    const held = this.#held.get(approvalId);
    if (held) {
      held.approval = { request: held.approval.request, ...supplied };
      this.#update();
    }
  }

  /**
   * Answers one approval, and no other.
   *
   * @throws Error when it does not wait any more, is not what was shown, or may not be allowed yet.
   */
  answer(choice: Choice): void {
    const held = this.#held.get(choice.approvalId);
    if (!held) {
      throw new Error(t("This approval was answered or withdrawn in the meantime; nothing was sent."));
    }
    const { request } = held.approval;
    if (choice.argsDigest !== request.argsDigest) {
      throw new Error(t("The call is no longer the one that was shown; look at it again."));
    }
    const option = request.options.find((candidate) => candidate.optionId === choice.optionId);
    if (!option) {
      throw new Error(t`The server does not offer the option '${choice.optionId}' for this call.`);
    }
    const allows = option.kind === "allow_once" || option.kind === "allow_always";
    if (allows && !held.approval.arguments) {
      throw new Error(t("The arguments have not been shown in full, so the call cannot be allowed yet."));
    }
    const feedback = allows ? undefined : choice.feedback?.trim();
    this.#end(choice.approvalId, {
      approvalId: request.approvalId,
      argsDigest: request.argsDigest,
      outcome: "selected",
      optionId: option.optionId,
      ...(feedback ? { feedback } : {}),
      ...(allows && choice.updatedInput ? { updatedInput: choice.updatedInput } : {}),
    });
  }

  /** Ends a question without an answer: the server needs none any more. */
  withdraw(approvalId: string): void {
    const held = this.#held.get(approvalId);
    if (held) {
      this.#end(approvalId, { approvalId, argsDigest: held.approval.request.argsDigest, outcome: "cancelled" });
    }
  }

  /** Withdraws all but the approvals of `ids`. */
  keepOnly(ids: ReadonlySet<string>): void {
    for (const approvalId of [...this.#held.keys()]) {
      if (!ids.has(approvalId)) {
        this.withdraw(approvalId);
      }
    }
  }

  #end(approvalId: string, answer: ApprovalAnswer): void {
    const held = this.#held.get(approvalId);
    this.#held.delete(approvalId);
    held?.settle(answer);
    this.#update();
  }

  #update(): void {
    this.#waiting = [...this.#held.values()].map((held) => held.approval);
    this.changed();
  }
}

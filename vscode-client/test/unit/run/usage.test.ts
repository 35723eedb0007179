import { expect, test } from "vitest";
import { usageWords, usesModel } from "../../../src/run/usage.ts";

test("what was counted is said, and what nobody knows is called unknown", () => {
  expect(usageWords({ inputTokens: 1200, outputTokens: 30, cost: 0.5 })).toBe("1,200 tokens in, 30 out · $0.5000");
  expect(usageWords({ inputTokens: 1, outputTokens: 0, cost: 0 })).toBe("1 tokens in, 0 out · no cost");
  expect(usageWords({ inputTokens: 7, outputTokens: 2 })).toBe("7 tokens in, 2 out · cost unknown");
  expect(usageWords(undefined)).toBe("usage unknown");
});

test("offline and scripts use nothing", () => {
  expect(["offline", "script:turns.yaml", "ollama_chat/qwen3", "openai/gpt-4o"].map(usesModel)).toEqual([
    false,
    false,
    true,
    true,
  ]);
});

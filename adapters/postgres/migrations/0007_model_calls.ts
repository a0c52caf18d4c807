/** The model calls of runs: those that were made, and the steps that were done without. */
export const modelCalls: ReadonlyArray<string> = [
  "set local lock_timeout = '5s'",
  `alter table runs add column model_calls text not null default '{"spent":0,"saved":0}'`
]

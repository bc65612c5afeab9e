// What the service answers.
export {};

// The input of each model, generated from the catalog. The service checks every input.
export {};

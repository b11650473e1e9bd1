// Mistake is what is wrong with a file of hooks or a call, in words that say
// what to do: no stack says it better.
export class Mistake extends Error {
  name = "Mistake";
}

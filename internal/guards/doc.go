// Package guards holds hookway's own rules over facts: the packs, which rule holds
// for a call, and the words in which it is told.
//
// A rule is data. It names the facts that it is about, a verdict, what to say, and
// lines that it must stop and must let pass, which a test runs. Verdicts are block,
// for what is proven to do harm, and ask, for what is risky and often wanted, or
// cannot be seen through. No rule ever approves a call.
package guards

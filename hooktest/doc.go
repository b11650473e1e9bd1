// Package hooktest helps to test hooks, and everything that runs hooks.
//
//   - [TestHandler] is the exam that any kind of handler must pass: write one
//     function that makes a handler of your kind behave as asked.
//   - [Strict] fails a test when a handler edits the event that it is given.
//   - [Recorder] is a handler that keeps what it was asked, and waits for it.
//   - [FakeAgent] fires the events of a scripted agent at your hooks.
package hooktest

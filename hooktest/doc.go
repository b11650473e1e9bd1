// Package hooktest helps to test hooks, and everything that runs hooks.
//
//   - [TestHandler] is the exam that any kind of handler must pass: write one
//     function that makes a handler of your kind behave as asked.
//   - [Strict] fails a test when a handler edits the event that it is given.
//   - [Recorder] is a handler that keeps the events it was asked about, and waits for them.
//   - [FakeAgent] fires the events of a scripted agent at your hooks.
//
// A test of one hook needs no more than an engine and a recorder:
//
//	var seen hooktest.Recorder
//	err := engine.Add(hook.New("seen", &seen, hook.For("*"), hook.As(hook.Observe)))
//	...
//	events, err := seen.Wait(ctx, 1)
package hooktest

// Package approve keeps calls that a person is asked about, each under a code that a
// person can say, and what they answered.
//
// A [Store] is one SQLite file of the user, which the daemon, processes that judge alone,
// and commands have open at once. [Store.Ask] notes a call before anybody is asked, and
// gives its code; [Store.Answer] answers it, once; [Store.Use] takes the grant when the
// very same call comes again, whoever else asks at that moment. [Store.Hold] waits for
// the answer. A grant is bound to agent, session, workspace, tool, input and what the
// call would do; an answer for a session or a shape is bound to the latter, and can be
// revoked. Requests and grants live for minutes, and there are never many.
//
// Who may call Answer is not decided here: see package owner.
package approve

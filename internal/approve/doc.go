// Package approve keeps calls that rules stopped, each under a code that a person can
// say, and the grants that people gave for them.
//
// A [Store] is one SQLite file of the user, which the daemon and processes that judge
// alone have open at once. [Store.Offer] notes a stopped call and gives its code;
// [Store.Allow] makes a grant of it; [Store.Use] takes the grant when the very same call
// comes again, once, whoever else asks at that moment. A grant is bound to agent,
// session, workspace, tool, input and what the call would do. Requests and grants live
// for minutes, and there are never many.
//
// Who may call Allow is not decided here: see package owner.
package approve

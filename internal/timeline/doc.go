// Package timeline tells what happened in the sessions of agents: from the audit record,
// and from the records that agents keep of their own sessions, also of those from before
// hookway was installed. Both are joined by the ids of calls; sub-agents are lanes.
//
// What agents keep is read beside the decisions, within bounds, and remembered until a file
// changes. It holds what the audit record would hide: nothing of it is told before its
// secrets are taken out as the record does it.
package timeline

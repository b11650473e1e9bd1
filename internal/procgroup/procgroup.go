// Package procgroup says whether a process group still has a process that runs,
// and keeps groups from outliving a process that is killed.
//
// A signal reaches zombies as well, and where the first process of a container
// waits for nobody, orphans stay zombies for ever. Whoever waits for a group to
// end must not wait for those.
package procgroup

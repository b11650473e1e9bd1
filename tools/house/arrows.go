package main

import (
	"fmt"
	"maps"
	"slices"
)

// arrows counts, inside each room, the pairs of files of which one uses the other
// against the order in which most arrows run down. It names the worst room.
func arrows(rooms []room) (back int, worst string) {
	most := 0
	for _, r := range rooms {
		if n := upward(r.uses()); n > 0 {
			back += n
			if n > most {
				most, worst = n, fmt.Sprintf("%s: %d", r.path, n)
			}
		}
	}
	return back, worst
}

// uses tells which files of a room name what others of its files define, methods
// too.
func (r *room) uses() map[string]map[string]bool {
	in := map[string]bool{}
	for _, f := range r.files {
		if f.kind == product {
			in[f.path] = true
		}
	}
	if len(in) == 0 {
		return nil
	}
	at := map[string]string{} // a file's whole path, and the one within the module
	for _, f := range r.files {
		if f.syntax != nil && in[f.path] {
			at[r.Fset.Position(f.syntax.Pos()).Filename] = f.path
		}
	}
	uses := map[string]map[string]bool{}
	for id, object := range r.TypesInfo.Uses {
		if object.Pkg() != r.Types || object.Parent() != nil && object.Parent() != r.Types.Scope() {
			continue // another's, or local
		}
		from, to := at[r.Fset.Position(id.Pos()).Filename], at[r.Fset.Position(object.Pos()).Filename]
		if from == "" || to == "" || from == to {
			continue
		}
		if uses[from] == nil {
			uses[from] = map[string]bool{}
		}
		uses[from][to] = true
	}
	return uses
}

// upward orders files so that few arrows run back up, and counts those that do. It
// takes what nobody else uses first, what uses nobody last, and else the file that
// uses the most more than it is used; ties go by name, so that a tree has one count.
func upward(uses map[string]map[string]bool) int {
	left := map[string]bool{}
	for from, all := range uses {
		left[from] = true
		for to := range all {
			left[to] = true
		}
	}
	var top, bottom []string
	for len(left) > 0 {
		names := slices.Sorted(maps.Keys(left))
		down, up := map[string]int{}, map[string]int{}
		for _, from := range names {
			for to := range uses[from] {
				if left[to] {
					down[from]++
					up[to]++
				}
			}
		}
		best := names[0]
		for _, n := range names {
			if down[n] == 0 {
				best = n
				break
			}
			if down[n]-up[n] > down[best]-up[best] {
				best = n
			}
		}
		delete(left, best)
		if down[best] == 0 {
			bottom = append(bottom, best)
		} else {
			top = append(top, best)
		}
	}
	slices.Reverse(bottom)
	floor := map[string]int{}
	for i, n := range append(top, bottom...) {
		floor[n] = i
	}
	back := 0
	for from, all := range uses {
		for to := range all {
			if floor[to] < floor[from] {
				back++
			}
		}
	}
	return back
}

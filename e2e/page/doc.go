// Package page opens hookway's page in a real browser, with a real daemon behind it,
// and looks at what a person would see, and at what somebody else could do there.
//
// Its tests are skipped unless a browser is named:
//
//	HOOKWAY_E2E_CHROMIUM=/usr/bin/chromium go test ./e2e/page
//
// tools/page.sh finds or installs one, and what else they need; docs/e2e.md has the
// rest.
package page

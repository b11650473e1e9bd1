// Package adapter speaks to coding agents in their own hook protocols: one file
// an agent. An adapter decodes the agent's native event into ours with nothing
// lost, and encodes our outcome into exactly the bytes that the agent enforces.
//
// What an agent cannot do is degraded by rule and said in the reply's warnings,
// never dropped in silence. A continue is never written as an approval.
package adapter

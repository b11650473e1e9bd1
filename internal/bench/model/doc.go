// Package model is a scripted model, in place of a real one: a server on loopback that
// speaks as much of Anthropic's Messages, of OpenAI's Responses and Chat Completions,
// and of Gemini's generateContent as the agents' programs need, says what a script
// tells it to, and keeps what it was asked.
//
// An agent is pointed at it by its own settings (ANTHROPIC_BASE_URL, or a
// model provider in Codex's config.toml). It may be the agent's HTTP proxy as
// well: then it refuses whatever would leave the machine, and remembers it.
package model

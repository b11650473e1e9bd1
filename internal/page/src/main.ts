import { h, render } from "preact";
import { useEffect, useState } from "preact/hooks";
import htm from "htm";
import { ask, bundle, enter, type Session } from "./door";
import "./page.css";

const html = htm.bind(h);

function Page() {
  const [session, setSession] = useState<Session>();
  const [status, setStatus] = useState("");
  const [problem, setProblem] = useState("");
  useEffect(() => {
    (async () => {
      await enter();
      setSession(await (await ask("/session")).json());
      setStatus(JSON.stringify(await (await ask("/v1/status")).json(), null, 2));
    })().catch((error) => setProblem(error.message));
  }, []);
  return html`<main>
    <h1>hookway</h1>
    ${problem && html`<p role="alert">${problem}</p>`}
    ${session && html`<p>hookway ${session.version}, until ${session.until}${session.bundle !== bundle && "; the page is old: reload it"}</p>`}
    <pre>${status}</pre>
  </main>`;
}

render(html`<${Page} />`, document.getElementById("page")!);

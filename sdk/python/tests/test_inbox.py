"""An agent that gets its messages with a client."""

import asyncio
import threading

from hookway import AsyncClient, Client, Refused
from tests.world import World


class Inbox(World):
    def setUp(self):
        super().setUp()
        self.config(
            {"id": "spam", "on": "MessageReceived", "match": {"fields": {"content": "*spam*"}}, "block": "no spam"},
            {"id": "mark", "on": "MessageReceived", "match": {"fields": {"content": "mark me"}}, "modify": {"content": "marked"}},
        )
        self.hookway("trust")
        self.client = Client(agent="Zoë")
        self.addCleanup(self.client.close)

    def test_a_loop_takes_answers_and_confirms(self):
        with self.assertRaises(Refused) as caught:
            self.client.take_inbox("Zoë")
        self.assertIn('with "join": true', str(caught.exception))
        self.assertEqual(self.client.take_inbox("Zoë", join=True), [])
        for text in ["spam", "mark me", "/quit"]:
            self.hookway("send", "zoë", text)
        got = []
        while len(got) < 2:
            new = self.client.take_inbox("ZOË", wait=30, max=1)
            self.assertEqual(self.client.done_inbox("Zoë", new), [])
            got += new
        self.assertEqual([m["text"] for m in got], ["marked", "/quit"])
        self.assertRegex(got[1]["shown"], r"^Message from user \[\w{8}\]: /quit$")
        sent = self.client.send_message(None, "answer", reply_to=got[0]["id"])
        self.assertEqual((sent["message"]["from"], sent["message"]["to"]), ("Zoë", "user"))
        self.assertRegex(self.hookway("receipts", got[0]["id"]), sent["short"])
        self.assertRegex(self.hookway("agents"), r"Zoë +runs +0 +http")
        self.assertEqual(self.client.done_inbox("Zoë", []), [])
        self.assertIn("there is no message", self.client.done_inbox("Zoë", ["7k2fq9xm"])[0]["reason"])

    def test_what_is_not_confirmed_comes_again_also_from_the_next_daemon(self):
        self.client.take_inbox("Bob", join=True)
        self.hookway("send", "Bob", "hello")
        first = self.client.take_inbox("Bob", wait=30)
        self.hookway("stop")
        again = self.client.take_inbox("Bob", wait=30, lease=0.001)
        self.assertEqual([(m["id"], m["repeat"]) for m in again], [(first[0]["id"], True)])
        again = self.client.take_inbox("Bob", wait=30, confirm=False)
        self.assertEqual([m["repeat"] for m in again], [True])
        self.assertEqual(self.client.done_inbox("Bob", first), [])
        self.assertRegex(self.hookway("inbox", "Bob"), "seen +user: hello")

    def test_a_wait_ends_with_the_message(self):
        self.client.take_inbox("Bob", join=True)
        got = []
        waits = threading.Thread(target=lambda: got.extend(self.client.take_inbox("Bob", wait=120, confirm=False)))
        waits.start()
        self.hookway("send", "Bob", "hello")
        waits.join(60)
        self.assertEqual([m["text"] for m in got], ["hello"])

    def test_asyncio(self):
        async def loop():
            client = AsyncClient(agent="Bob")
            await client.take_inbox("Bob", join=True)
            waits = asyncio.ensure_future(client.take_inbox("Bob", wait=60))
            await client.send_message("Bob", "hello", sender="ci")
            got = await waits
            left = await client.done_inbox("Bob", got)
            await client.close()
            return [(m["from"], m["text"]) for m in got], left

        self.assertEqual(asyncio.run(loop()), ([("ci", "hello")], []))

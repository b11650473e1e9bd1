"""What may be imported beside the package."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest


class Import(unittest.TestCase):
    def test_generated_code_of_the_proto_is_found_beside_the_package(self):
        package = pathlib.Path(__file__).parents[1]
        with tempfile.TemporaryDirectory() as folder:
            made = pathlib.Path(folder, "hookway", "v1")
            made.mkdir(parents=True)
            (made / "hooks_pb2.py").write_text("NAME = 'made by protoc'\n")
            (made.parent / "_answers.py").write_text("raise SystemExit('not the package')\n")
            program = pathlib.Path(folder, "program.py")
            program.write_text("from hookway import block\nfrom hookway.v1 import hooks_pb2\nprint(block('no'), hooks_pb2.NAME)\n")
            env = {**os.environ, "PYTHONPATH": str(package), "PYTHONDONTWRITEBYTECODE": "1"}
            ran = subprocess.run([sys.executable, str(program)], env=env, capture_output=True, text=True, timeout=60)
        self.assertEqual(ran.stderr, "")
        self.assertIn("made by protoc", ran.stdout)


if __name__ == "__main__":
    unittest.main()

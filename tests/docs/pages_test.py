#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The reader of pages finds what it is there to find."""

import unittest

import pages

PAGE = """text

```sh
# a remark
one --with \\
  more

two
```

<!-- tested with: --steps 2 -->
```sh
three
```

<!-- from a.cpp -->
```cpp
f();
  g();
```
"""


class PagesTest(unittest.TestCase):
    def setUp(self):
        self.blocks = pages.read_blocks("a.md", PAGE)

    def test_every_block_is_found(self):
        self.assertEqual([b.language for b in self.blocks], ["sh", "sh", "cpp"])
        self.assertEqual(self.blocks[0].place(), "a.md:4")

    def test_commands_are_joined_and_remarks_left_out(self):
        self.assertEqual(
            pages.commands(self.blocks[0]), ["one --with    more", "two"]
        )

    def test_a_mark_belongs_to_the_block_after_it_alone(self):
        self.assertEqual(
            [b.arguments for b in self.blocks], ["", "--steps 2", ""]
        )
        self.assertEqual([b.source for b in self.blocks], ["", "", "a.cpp"])

    def test_a_quote_is_found_at_any_indent(self):
        quoted = self.blocks[2]
        self.assertTrue(pages.is_quoted_from(quoted, "a();\n  f();\n  g();\n"))
        self.assertFalse(pages.is_quoted_from(quoted, "f();\nh();\ng();\n"))

    def test_a_block_without_an_end_is_an_error(self):
        with self.assertRaises(ValueError):
            pages.read_blocks("a.md", "```sh\none\n")


if __name__ == "__main__":
    unittest.main()

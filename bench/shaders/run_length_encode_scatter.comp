// SPDX-License-Identifier: MIT OR Apache-2.0
#version 450
#extension GL_GOOGLE_include_directive : require
#include "run_length_encode.glsl"

// A run an invocation, of as many as there are items.
void main() {
  const uint run = invocation();
  if (run >= WordsIn(push.run_count).words[0]) return;
  const uint head = WordsIn(push.heads).words[run];
  WordsOut(push.symbols).words[run] = WordsIn(push.items).words[head];
  WordsOut(push.lengths).words[run] = WordsIn(push.heads).words[run + 1] - head;
}

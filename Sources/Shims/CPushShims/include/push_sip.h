#ifndef PUSH_SIP_H
#define PUSH_SIP_H

#include <stddef.h>
#include <stdint.h>

/* SipHash-1-3 (Aumasson, Bernstein) of two whole words. The length is not part of the input, because it is
   always the same. */

/* Computes the state after the key and the first word. */
void push_sip_start(uint64_t state[_Nonnull 4], uint64_t key0, uint64_t key1, uint64_t word);

/* Replaces each of `count` second words with the hash of the first word and this second word. */
void push_sip_finish(const uint64_t state[_Nonnull 4], uint64_t *_Nonnull words, size_t count);

#endif

#include "push_sip.h"

/* The hashes of the words are independent of each other, so the compiler computes as many at once as a
   register holds. If the loader supports a choice, it selects the variant for the machine's widest
   registers. */
#if defined(__x86_64__) && defined(__gnu_linux__)
#define WIDEST __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define WIDEST
#endif

#define ROTATED(word, bits) ((word) << (bits) | (word) >> (64 - (bits)))
#define MIX(v0, v1, v2, v3)                                                                                  \
    do {                                                                                                     \
        v0 += v1, v1 = ROTATED(v1, 13) ^ v0, v0 = ROTATED(v0, 32);                                           \
        v2 += v3, v3 = ROTATED(v3, 16) ^ v2;                                                                 \
        v0 += v3, v3 = ROTATED(v3, 21) ^ v0;                                                                 \
        v2 += v1, v1 = ROTATED(v1, 17) ^ v2, v2 = ROTATED(v2, 32);                                           \
    } while (0)

void push_sip_start(uint64_t state[4], uint64_t key0, uint64_t key1, uint64_t word)
{
    uint64_t v0 = key0 ^ 0x736F6D6570736575, v1 = key1 ^ 0x646F72616E646F6D;
    uint64_t v2 = key0 ^ 0x6C7967656E657261, v3 = key1 ^ 0x7465646279746573 ^ word;
    MIX(v0, v1, v2, v3);
    state[0] = v0 ^ word, state[1] = v1, state[2] = v2, state[3] = v3;
}

WIDEST void push_sip_finish(const uint64_t state[4], uint64_t *words, size_t count)
{
    for (size_t at = 0; at < count; at++) {
        uint64_t v0 = state[0], v1 = state[1], v2 = state[2], v3 = state[3] ^ words[at];
        MIX(v0, v1, v2, v3);
        v0 ^= words[at], v2 ^= 0xFF;
        MIX(v0, v1, v2, v3);
        MIX(v0, v1, v2, v3);
        MIX(v0, v1, v2, v3);
        words[at] = v0 ^ v1 ^ v2 ^ v3;
    }
}

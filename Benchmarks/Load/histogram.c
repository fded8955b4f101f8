#include "load.h"

// The first 64 buckets are a nanosecond wide; from there on every power of two has 64 of them.
static unsigned bucket_of(uint64_t value)
{
    if (value < 64)
        return (unsigned)value;
    unsigned shift = 57 - (unsigned)__builtin_clzll(value);
    return (shift + 1) * 64 + (unsigned)((value >> shift) & 63);
}

static double middle_of(unsigned bucket)
{
    if (bucket < 64)
        return bucket;
    unsigned shift = bucket / 64 - 1;
    return ((double)(64 + bucket % 64) + 0.5) * (double)(1ULL << shift);
}

void histogram_add(struct histogram *histogram, uint64_t nanoseconds)
{
    histogram->counts[bucket_of(nanoseconds)]++;
    histogram->total++;
}

double histogram_quantile(const struct histogram *histogram, double part)
{
    double wanted = part * (double)histogram->total;
    uint64_t seen = 0;
    for (unsigned bucket = 0; bucket < 64 * 64; bucket++) {
        seen += histogram->counts[bucket];
        if (seen > 0 && (double)seen >= wanted)
            return middle_of(bucket);
    }
    return 0;
}

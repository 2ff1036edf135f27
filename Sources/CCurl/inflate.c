// Decoding of compressed bodies by zlib.

#include "library.h"

#include <stdlib.h>

// zlib's z_stream, whose layout is checked by `inflateInit2_` through its size.
typedef struct {
  const uint8_t *next_in;
  unsigned avail_in;
  unsigned long total_in;
  uint8_t *next_out;
  unsigned avail_out;
  unsigned long total_out;
  const char *message;
  void *state;
  void *allocate, *release, *opaque;
  int data_type;
  unsigned long checksum, reserved;
} stream;

struct cinflate {
  stream stream;
};

int cinflate_is_available(void) { return ccurl_found.inflate != NULL; }

cinflate *cinflate_make(int is_bare) {
  if (!cinflate_is_available()) return NULL;
  cinflate *decoder = calloc(1, sizeof *decoder);
  // 15 bits of window; 32 more have the header say whether it is gzip or zlib, a minus stands for no header.
  const int window = is_bare ? -15 : 15 + 32;
  if (decoder && ccurl_found.inflateInit2_(&decoder->stream, window, "1", (int)sizeof(stream)) != 0) {
    free(decoder);
    return NULL;
  }
  return decoder;
}

void cinflate_free(cinflate *decoder) {
  ccurl_found.inflateEnd(&decoder->stream);
  free(decoder);
}

int cinflate_reset(cinflate *decoder) { return ccurl_found.inflateReset(&decoder->stream); }

long cinflate_step(
    cinflate *decoder, const uint8_t *input, size_t *input_count, uint8_t *output, size_t *output_count) {
  const size_t most = 1u << 30;
  const size_t extra = *input_count > most ? *input_count - most : 0;
  decoder->stream.next_in = input;
  decoder->stream.avail_in = (unsigned)(*input_count - extra);
  decoder->stream.next_out = output;
  decoder->stream.avail_out = (unsigned)(*output_count > most ? most : *output_count);
  const int no_flush = 0, stream_end = 1, out_of_room = -5;
  const int outcome = ccurl_found.inflate(&decoder->stream, no_flush);
  *input_count = decoder->stream.avail_in + extra;
  *output_count = decoder->stream.avail_out;
  if (outcome == stream_end) return CINFLATE_END;
  return outcome == 0 || outcome == out_of_room ? CINFLATE_MORE : CINFLATE_INVALID;
}

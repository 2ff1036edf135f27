#ifdef HELIOGRAPH_CURL

// Decoding of compressed bodies by zlib, libbrotlidec and libzstd.

#include "library.h"

#include <stdlib.h>

// zlib's z_stream; `inflateInit2_` checks the layout by its size.
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
} zlib_stream;

struct cdecode {
  int kind;
  zlib_stream zlib;
  void *state;
};

int cdecode_is_available(int kind) {
  switch (kind) {
    case CDECODE_ZLIB:
    case CDECODE_RAW_DEFLATE: return ccurl_found.inflate != NULL;
    case CDECODE_BROTLI: return ccurl_found.BrotliDecoderDecompressStream != NULL;
    case CDECODE_ZSTD: return ccurl_found.ZSTD_decompressStream != NULL;
    default: return 0;
  }
}

static int begin_zlib(cdecode *decoder) {
  // A window of 15 bits. Adding 32 detects gzip or zlib from the header; a negative value means no header.
  const int window = decoder->kind == CDECODE_RAW_DEFLATE ? -15 : 15 + 32;
  return ccurl_found.inflateInit2_(&decoder->zlib, window, "1", (int)sizeof(zlib_stream)) == 0;
}

static int begin_brotli(cdecode *decoder) {
  // Windows are limited to 16 MiB (RFC 7932 §9.1): larger ones would require an option.
  decoder->state = ccurl_found.BrotliDecoderCreateInstance(NULL, NULL, NULL);
  return decoder->state != NULL;
}

static int begin_zstd(cdecode *decoder) {
  // A window of at most 8 MiB (RFC 9659 §3), so that one body cannot use gigabytes of memory.
  const int window_log_maximum = 100, log_of_8_mib = 23;
  decoder->state = ccurl_found.ZSTD_createDStream();
  if (!decoder->state) return 0;
  const size_t outcome = ccurl_found.ZSTD_DCtx_setParameter(decoder->state, window_log_maximum, log_of_8_mib);
  if (!ccurl_found.ZSTD_isError(outcome)) return 1;
  ccurl_found.ZSTD_freeDStream(decoder->state);
  return 0;
}

cdecode *cdecode_make(int kind) {
  if (!cdecode_is_available(kind)) return NULL;
  cdecode *decoder = calloc(1, sizeof *decoder);
  if (!decoder) return NULL;
  decoder->kind = kind;
  const int is_ready = kind == CDECODE_BROTLI ? begin_brotli(decoder)
                       : kind == CDECODE_ZSTD ? begin_zstd(decoder)
                                              : begin_zlib(decoder);
  if (is_ready) return decoder;
  free(decoder);
  return NULL;
}

void cdecode_free(cdecode *decoder) {
  switch (decoder->kind) {
    case CDECODE_BROTLI: ccurl_found.BrotliDecoderDestroyInstance(decoder->state); break;
    case CDECODE_ZSTD: ccurl_found.ZSTD_freeDStream(decoder->state); break;
    default: ccurl_found.inflateEnd(&decoder->zlib);
  }
  free(decoder);
}

int cdecode_reset(cdecode *decoder) {
  const int session_only = 1;
  switch (decoder->kind) {
    case CDECODE_ZLIB:
    case CDECODE_RAW_DEFLATE: return ccurl_found.inflateReset(&decoder->zlib);
    case CDECODE_ZSTD: return ccurl_found.ZSTD_isError(ccurl_found.ZSTD_DCtx_reset(decoder->state, session_only)) != 0;
    default: return -1;
  }
}

static long step_zlib(zlib_stream *zlib, const uint8_t *input, size_t *input_count, uint8_t *output, size_t *output_count) {
  const size_t size_limit = 1u << 30;
  const size_t extra = *input_count > size_limit ? *input_count - size_limit : 0;
  zlib->next_in = input;
  zlib->avail_in = (unsigned)(*input_count - extra);
  zlib->next_out = output;
  zlib->avail_out = (unsigned)(*output_count > size_limit ? size_limit : *output_count);
  const int no_flush = 0, stream_end = 1, output_full = -5;
  const int outcome = ccurl_found.inflate(zlib, no_flush);
  *input_count = zlib->avail_in + extra;
  *output_count = zlib->avail_out;
  if (outcome == stream_end) return CDECODE_END;
  return outcome == 0 || outcome == output_full ? CDECODE_MORE : CDECODE_INVALID;
}

static long step_brotli(void *state, const uint8_t *input, size_t *input_count, uint8_t *output, size_t *output_count) {
  const int failed = 0, success = 1;
  const int outcome =
      ccurl_found.BrotliDecoderDecompressStream(state, input_count, &input, output_count, &output, NULL);
  return outcome == failed ? CDECODE_INVALID : outcome == success ? CDECODE_END : CDECODE_MORE;
}

// libzstd's ZSTD_inBuffer and ZSTD_outBuffer.
typedef struct {
  const void *bytes;
  size_t count, position;
} zstd_input;
typedef struct {
  void *bytes;
  size_t count, position;
} zstd_output;

static long step_zstd(void *state, const uint8_t *input, size_t *input_count, uint8_t *output, size_t *output_count) {
  zstd_input in = {input, *input_count, 0};
  zstd_output out = {output, *output_count, 0};
  // 0 when a frame is decoded and all of its output was written; otherwise a hint for the next input size, or an error.
  const size_t outcome = ccurl_found.ZSTD_decompressStream(state, &out, &in);
  *input_count -= in.position;
  *output_count -= out.position;
  if (ccurl_found.ZSTD_isError(outcome)) return CDECODE_INVALID;
  return outcome == 0 ? CDECODE_END : CDECODE_MORE;
}

long cdecode_step(
    cdecode *decoder, const uint8_t *input, size_t *input_count, uint8_t *output, size_t *output_count) {
  switch (decoder->kind) {
    case CDECODE_BROTLI: return step_brotli(decoder->state, input, input_count, output, output_count);
    case CDECODE_ZSTD: return step_zstd(decoder->state, input, input_count, output, output_count);
    default: return step_zlib(&decoder->zlib, input, input_count, output, output_count);
  }
}

#endif

// The yardstick: the same work in C, as directly over libcurl's multi interface as it goes.
//
//   baseline get <url> <in flight> <warm-up ms> <measured ms> [<CA file>]
//   baseline memory <url>
//   baseline file <url> <path>
//   baseline upload <url> <path>
//
// Prints one line of JSON with the figures that NetworkBenchmarks prints too. Compiled by .ci/bench-network.
#define _GNU_SOURCE
#include <curl/curl.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define ENVELOPE_BYTE_COUNT 78

static void fail(const char *what) {
  fprintf(stderr, "baseline: %s\n", what);
  exit(1);
}

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static int64_t cpu(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000000LL +
         (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000LL;
}

// A line of /proc/self/status, in megabytes.
static double status(const char *name) {
  FILE *file = fopen("/proc/self/status", "r");
  char line[256];
  double result = 0;
  while (file && fgets(line, sizeof line, file)) {
    if (!strncmp(line, name, strlen(name))) result = atof(line + strlen(name) + 1) * 1024 / 1e6;
  }
  if (file) fclose(file);
  return result;
}

// MARK: Latencies, in 64 buckets for each power of two of nanoseconds

#define BUCKETS (64 * 40)
static uint32_t buckets[BUCKETS];
static uint64_t recorded;

static void record(uint64_t nanoseconds) {
  int shift = 0;
  while ((nanoseconds >> shift) >= 128) shift++;
  size_t index = shift ? 64 * (shift + 1) + (nanoseconds >> shift) - 64 : nanoseconds;
  buckets[index < BUCKETS ? index : BUCKETS - 1]++;
  recorded++;
}

static double percentile(double share) {
  uint64_t left = (uint64_t)(recorded * share);
  for (size_t index = 0; index < BUCKETS; index++) {
    if (left < buckets[index]) {
      if (index < 128) return index / 1e3;
      int shift = index / 64 - 1;
      return (double)((64 + index % 64) << shift) / 1e3;
    }
    left -= buckets[index];
  }
  return 0;
}

// MARK: Transfers

typedef struct {
  CURL *easy;
  char *body;
  size_t count, capacity;
  int64_t started;
} Transfer;

static size_t keep(char *bytes, size_t size, size_t count, void *context) {
  Transfer *transfer = context;
  size *= count;
  if (transfer->count + size > transfer->capacity) {
    curl_off_t length = -1;
    if (!transfer->capacity) {
      curl_easy_getinfo(transfer->easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
    }
    transfer->capacity = length > 0 ? (size_t)length : 2 * (transfer->count + size);
    transfer->body = realloc(transfer->body, transfer->capacity);
    if (!transfer->body) fail("out of memory");
  }
  memcpy(transfer->body + transfer->count, bytes, size);
  transfer->count += size;
  return size;
}

static size_t store(char *bytes, size_t size, size_t count, void *context) {
  size *= count;
  for (size_t done = 0; done < size;) {
    ssize_t written = write(*(int *)context, bytes + done, size - done);
    if (written < 0) fail("write failed");
    done += written;
  }
  return size;
}

static size_t give(char *buffer, size_t size, size_t count, void *context) {
  ssize_t result = read(*(int *)context, buffer, size * count);
  return result < 0 ? CURL_READFUNC_ABORT : (size_t)result;
}

static void check(CURL *easy, CURLcode code) {
  long answer = 0;
  if (code != CURLE_OK) fail(curl_easy_strerror(code));
  curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &answer);
  if (answer < 200 || answer > 299) fail("the answer is no 2xx");
}

// MARK: Small GETs

static void start(CURLM *multi, Transfer *transfer, const char *url, const char *authorities) {
  // As for a client, which gets a handle from its pool and does not know what it was used for before.
  curl_easy_reset(transfer->easy);
  curl_easy_setopt(transfer->easy, CURLOPT_URL, url);
  curl_easy_setopt(transfer->easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(transfer->easy, CURLOPT_WRITEFUNCTION, keep);
  curl_easy_setopt(transfer->easy, CURLOPT_WRITEDATA, transfer);
  curl_easy_setopt(transfer->easy, CURLOPT_PRIVATE, transfer);
  if (authorities) {
    curl_easy_setopt(transfer->easy, CURLOPT_CAINFO, authorities);
    curl_easy_setopt(transfer->easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_2TLS);
    curl_easy_setopt(transfer->easy, CURLOPT_PIPEWAIT, 1L);
  }
  transfer->body = NULL;
  transfer->count = transfer->capacity = 0;
  transfer->started = now();
  curl_multi_add_handle(multi, transfer->easy);
}

static void run(CURLM *multi, Transfer *transfers, int width, const char *url, const char *authorities, int64_t end) {
  int running = width, left = width, messages;
  for (int index = 0; index < width; index++) start(multi, &transfers[index], url, authorities);
  while (left) {
    CURLMsg *message;
    if (curl_multi_perform(multi, &running) != CURLM_OK) fail("curl_multi_perform");
    while ((message = curl_multi_info_read(multi, &messages))) {
      Transfer *transfer;
      CURL *easy = message->easy_handle;
      check(easy, message->data.result);
      curl_easy_getinfo(easy, CURLINFO_PRIVATE, (char **)&transfer);
      if (transfer->count != ENVELOPE_BYTE_COUNT) fail("the body has another length");
      curl_multi_remove_handle(multi, easy);
      free(transfer->body);
      int64_t time = now();
      record(time - transfer->started);
      if (time < end) start(multi, transfer, url, authorities);
      else left--;
    }
    if (left) curl_multi_poll(multi, NULL, 0, 1000, NULL);
  }
}

static void get(const char *url, int width, double warmup, double measured, const char *authorities) {
  CURLM *multi = curl_multi_init();
  Transfer *transfers = calloc(width, sizeof(Transfer));
  for (int index = 0; index < width; index++) transfers[index].easy = curl_easy_init();
  curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, 256L);
  run(multi, transfers, width, url, authorities, now() + (int64_t)(warmup * 1e6));
  memset(buckets, 0, sizeof buckets);
  recorded = 0;
  int64_t started = now(), used = cpu();
  run(multi, transfers, width, url, authorities, started + (int64_t)(measured * 1e6));
  used = cpu() - used;
  double seconds = (now() - started) / 1e9;
  printf("{\"requestsPerSecond\":%.1f,\"cpuPerRequest\":%.3f,\"p50\":%.1f,\"p99\":%.1f,\"peak\":%.2f}\n",
         recorded / seconds, used / 1e3 / recorded, percentile(0.5), percentile(0.99), status("VmHWM"));
}

// MARK: Large bodies

static void large(const char *kind, const char *url, const char *path) {
  CURL *easy = curl_easy_init();
  Transfer transfer = {.easy = easy};
  struct stat information = {0};
  int file = -1;
  double before = status("VmRSS");
  int64_t started = now(), used = cpu();
  curl_off_t byte_count;
  curl_easy_setopt(easy, CURLOPT_URL, url);
  curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, 524288L);
  if (!strcmp(kind, "memory")) {
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, keep);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, &transfer);
  } else if (!strcmp(kind, "file")) {
    file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file < 0) fail("cannot create the file");
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, store);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, &file);
  } else {
    file = open(path, O_RDONLY);
    if (file < 0 || fstat(file, &information)) fail("cannot read the file");
    curl_easy_setopt(easy, CURLOPT_UPLOAD, 1L);
    curl_easy_setopt(easy, CURLOPT_UPLOAD_BUFFERSIZE, 524288L);
    curl_easy_setopt(easy, CURLOPT_INFILESIZE_LARGE, (curl_off_t)information.st_size);
    curl_easy_setopt(easy, CURLOPT_READFUNCTION, give);
    curl_easy_setopt(easy, CURLOPT_READDATA, &file);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, keep);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, &transfer);
  }
  check(easy, curl_easy_perform(easy));
  if (file >= 0) close(file);
  used = cpu() - used;
  double seconds = (now() - started) / 1e9;
  curl_easy_getinfo(easy, strcmp(kind, "upload") ? CURLINFO_SIZE_DOWNLOAD_T : CURLINFO_SIZE_UPLOAD_T, &byte_count);
  printf("{\"megabytesPerSecond\":%.2f,\"cpuMilliseconds\":%.2f,\"growth\":%.2f,\"peak\":%.2f}\n",
         byte_count / 1e6 / seconds, used / 1e6, status("VmHWM") - before, status("VmHWM"));
}

int main(int count, char **arguments) {
  curl_global_init(CURL_GLOBAL_ALL);
  if (count >= 6 && !strcmp(arguments[1], "get")) {
    get(arguments[2], atoi(arguments[3]), atof(arguments[4]), atof(arguments[5]), count > 6 ? arguments[6] : NULL);
  } else if (count >= 3) {
    large(arguments[1], arguments[2], count > 3 ? arguments[3] : "");
  } else {
    fail("see the top of baseline.c for how to call it");
  }
  return 0;
}

// Declarations of the parts of libcurl, zlib, libbrotlidec and libzstd that the transport uses.
//
// No development packages are needed for the build: the functions are looked up at run time. The numbers below are part
// of libcurl's ABI, which has been stable since 2006. Tests/CurlNumbers compares each of them with <curl/curl.h> and
// <zlib.h> where these are available.

#ifndef HELIOGRAPH_CCURL_H
#define HELIOGRAPH_CCURL_H

#include <stddef.h>
#include <stdint.h>

typedef struct ccurl_easy ccurl_easy;
typedef struct ccurl_multi ccurl_multi;
typedef struct ccurl_list ccurl_list;

enum {
  CCURL_OPT_WRITEDATA = 10001,
  CCURL_OPT_URL = 10002,
  CCURL_OPT_PROXY = 10004,
  CCURL_OPT_PROXYUSERPWD = 10006,
  CCURL_OPT_READDATA = 10009,
  CCURL_OPT_ERRORBUFFER = 10010,
  CCURL_OPT_USERAGENT = 10018,
  CCURL_OPT_HTTPHEADER = 10023,
  CCURL_OPT_SSLCERT = 10025,
  CCURL_OPT_KEYPASSWD = 10026,
  CCURL_OPT_HEADERDATA = 10029,
  CCURL_OPT_CUSTOMREQUEST = 10036,
  CCURL_OPT_CAINFO = 10065,
  CCURL_OPT_SSLCERTTYPE = 10086,
  CCURL_OPT_SSLKEY = 10087,
  CCURL_OPT_DEBUGDATA = 10095,
  CCURL_OPT_CAPATH = 10097,
  CCURL_OPT_PRIVATE = 10103,
  CCURL_OPT_COPYPOSTFIELDS = 10165,
  CCURL_OPT_SEEKDATA = 10168,
  CCURL_OPT_NOPROXY = 10177,
  CCURL_OPT_RESOLVE = 10203,
  CCURL_OPT_PINNEDPUBLICKEY = 10230,
  CCURL_OPT_UNIX_SOCKET_PATH = 10231,
  CCURL_OPT_PROXY_CAINFO = 10246,
  CCURL_OPT_PROXY_CAPATH = 10247,
  CCURL_OPT_SOCKOPTDATA = 10149,
  CCURL_OPT_OPENSOCKETDATA = 10164,
  CCURL_OPT_PREREQDATA = 10313,
  CCURL_OPT_SSL_SESSIONID_CACHE = 150,
  CCURL_OPT_CA_CACHE_TIMEOUT = 321,
  CCURL_OPT_WRITEFUNCTION = 20011,
  CCURL_OPT_READFUNCTION = 20012,
  CCURL_OPT_HEADERFUNCTION = 20079,
  CCURL_OPT_DEBUGFUNCTION = 20094,
  CCURL_OPT_SOCKOPTFUNCTION = 20148,
  CCURL_OPT_OPENSOCKETFUNCTION = 20163,
  CCURL_OPT_SEEKFUNCTION = 20167,
  CCURL_OPT_PREREQFUNCTION = 20312,
  CCURL_OPT_CAINFO_BLOB = 40309,
  CCURL_OPT_PROXY_CAINFO_BLOB = 40310,
  CCURL_OPT_INFILESIZE_LARGE = 30115,
  CCURL_OPT_POSTFIELDSIZE_LARGE = 30120,
  CCURL_OPT_VERBOSE = 41,
  CCURL_OPT_NOBODY = 44,
  CCURL_OPT_UPLOAD = 46,
  CCURL_OPT_POST = 47,
  CCURL_OPT_FOLLOWLOCATION = 52,
  CCURL_OPT_SSL_VERIFYPEER = 64,
  CCURL_OPT_SSLVERSION = 32,
  CCURL_OPT_FRESH_CONNECT = 74,
  CCURL_OPT_FORBID_REUSE = 75,
  CCURL_OPT_HTTPGET = 80,
  CCURL_OPT_DNS_CACHE_TIMEOUT = 92,
  CCURL_OPT_SSL_VERIFYHOST = 81,
  CCURL_OPT_HTTP_VERSION = 84,
  CCURL_OPT_BUFFERSIZE = 98,
  CCURL_OPT_NOSIGNAL = 99,
  CCURL_OPT_CONNECTTIMEOUT_MS = 156,
  CCURL_OPT_HTTP_CONTENT_DECODING = 158,
  CCURL_OPT_PROTOCOLS = 181,
  CCURL_OPT_TCP_KEEPALIVE = 213,
  CCURL_OPT_TCP_KEEPIDLE = 214,
  CCURL_OPT_TCP_KEEPINTVL = 215,
  CCURL_OPT_PATH_AS_IS = 234,
  CCURL_OPT_PIPEWAIT = 237,
  CCURL_OPT_PROXY_SSLVERSION = 250,
  CCURL_OPT_SUPPRESS_CONNECT_HEADERS = 265,
  CCURL_OPT_UPLOAD_BUFFERSIZE = 280,
  CCURL_OPT_HTTP09_ALLOWED = 285,
  CCURL_OPT_MAXAGE_CONN = 288,
  CCURL_OPT_MAXLIFETIME_CONN = 314,
  CCURL_OPT_QUICK_EXIT = 322,

  CCURL_MULTI_PIPELINING = 3,
  CCURL_MULTI_MAXCONNECTS = 6,
  CCURL_MULTI_QUICK_EXIT = 21,
  CCURL_PIPE_MULTIPLEX = 2,

  CCURL_SSLVERSION_TLS_1_2 = 6,
  CCURL_SSLVERSION_TLS_1_3 = 7,
  CCURL_HTTP_VERSION_1_1 = 2,
  CCURL_HTTP_VERSION_2TLS = 4,
  CCURL_PROTOCOLS_HTTP_AND_HTTPS = 3,

  CCURL_INFO_SIZE_UPLOAD = 0x600007,
  CCURL_INFO_SIZE_DOWNLOAD = 0x600008,
  CCURL_INFO_PRIVATE = 0x100015,
  CCURL_INFO_CAINFO = 0x10003d,
  CCURL_INFO_CAPATH = 0x10003e,
  CCURL_INFO_HEADER_SIZE = 0x20000b,
  CCURL_INFO_REQUEST_SIZE = 0x20000c,
  CCURL_INFO_NUM_CONNECTS = 0x20001a,
  CCURL_INFO_HTTP_VERSION = 0x20002e,
  CCURL_INFO_NAMELOOKUP_TIME = 0x600033,
  CCURL_INFO_CONNECT_TIME = 0x600034,
  CCURL_INFO_PRETRANSFER_TIME = 0x600035,
  CCURL_INFO_STARTTRANSFER_TIME = 0x600036,
  CCURL_INFO_APPCONNECT_TIME = 0x600038,
  CCURL_INFO_CONN_ID = 0x600040,

  CCURL_WRITE_ERROR = 0,
  CCURL_WRITE_PAUSE = 0x10000001,
  CCURL_READ_ABORT = 0x10000000,
  CCURL_READ_PAUSE = 0x10000001,
  CCURL_PREREQ_OK = 0,
  CCURL_PREREQ_ABORT = 1,
  CCURL_SEEK_OK = 0,
  CCURL_SEEK_FAILED = 2,
  CCURL_PAUSE_RECEIVING = 1,
  CCURL_PAUSE_SENDING = 4,

  CCURL_DEBUG_TEXT = 0,

  CCURL_OK = 0,
  CCURL_UNSUPPORTED_PROTOCOL = 1,
  CCURL_URL_MALFORMAT = 3,
  CCURL_NOT_BUILT_IN = 4,
  CCURL_COULDNT_RESOLVE_PROXY = 5,
  CCURL_COULDNT_RESOLVE_HOST = 6,
  CCURL_COULDNT_CONNECT = 7,
  CCURL_WEIRD_SERVER_REPLY = 8,
  CCURL_HTTP2 = 16,
  CCURL_PARTIAL_FILE = 18,
  CCURL_OUT_OF_MEMORY = 27,
  CCURL_OPERATION_TIMEDOUT = 28,
  CCURL_SSL_CONNECT_ERROR = 35,
  CCURL_BAD_FUNCTION_ARGUMENT = 43,
  CCURL_UNKNOWN_OPTION = 48,
  CCURL_GOT_NOTHING = 52,
  CCURL_SSL_ENGINE_NOTFOUND = 53,
  CCURL_SSL_ENGINE_SETFAILED = 54,
  CCURL_SEND_ERROR = 55,
  CCURL_RECV_ERROR = 56,
  CCURL_SSL_CERTPROBLEM = 58,
  CCURL_SSL_CIPHER = 59,
  CCURL_PEER_FAILED_VERIFICATION = 60,
  CCURL_BAD_CONTENT_ENCODING = 61,
  CCURL_USE_SSL_FAILED = 64,
  CCURL_SEND_FAIL_REWIND = 65,
  CCURL_SSL_ENGINE_INITFAILED = 66,
  CCURL_SSL_CACERT_BADFILE = 77,
  CCURL_SSL_SHUTDOWN_FAILED = 80,
  CCURL_SSL_CRL_BADFILE = 82,
  CCURL_SSL_ISSUER_ERROR = 83,
  CCURL_SSL_PINNEDPUBKEYNOTMATCH = 90,
  CCURL_SSL_INVALIDCERTSTATUS = 91,
  CCURL_HTTP2_STREAM = 92,
  CCURL_PROXY_FAILED = 97,
  CCURL_SSL_CLIENTCERT = 98,
  CCURL_TOO_LARGE = 100,

  CCURL_ERROR_SIZE = 256,
};

/// Finds libcurl in the process or on the system and sets it up; returns 0 if there is none. Call it once, before all
/// other functions.
int ccurl_load(void);
/// Returns the version of the loaded libcurl, such as "libcurl/7.88.1 OpenSSL/3.0.19 …", or "" if there is none.
const char *_Nonnull ccurl_version(void);
/// The version as a number, such as 0x075801.
unsigned ccurl_version_number(void);

typedef size_t (*ccurl_data_callback)(char *_Nullable bytes, size_t size, size_t count, void *_Nullable context);
typedef int (*ccurl_socket_callback)(void *_Nullable context, int descriptor, int purpose);
typedef int (*ccurl_seek_callback)(void *_Nullable context, int64_t offset, int origin);
typedef int (*ccurl_request_callback)(
    void *_Nullable context, char *_Nullable remote, char *_Nullable local, int remote_port, int local_port);

ccurl_easy *_Nullable ccurl_easy_make(void);
void ccurl_easy_free(ccurl_easy *_Nonnull easy);
long ccurl_set_long(ccurl_easy *_Nonnull easy, long option, long value);
long ccurl_set_size(ccurl_easy *_Nonnull easy, long option, int64_t value);
/// Sets a text, a list or any other value by its address.
long ccurl_set_pointer(ccurl_easy *_Nonnull easy, long option, const void *_Nullable value);
/// Sets bytes that libcurl does not copy: they must stay valid and in place for the lifetime of the handle.
long ccurl_set_blob(ccurl_easy *_Nonnull easy, long option, void *_Nullable bytes, size_t count);
long ccurl_set_data_callback(ccurl_easy *_Nonnull easy, long option, ccurl_data_callback _Nullable callback);
long ccurl_set_seek_callback(ccurl_easy *_Nonnull easy, ccurl_seek_callback _Nullable callback);
long ccurl_set_request_callback(ccurl_easy *_Nonnull easy, ccurl_request_callback _Nullable callback);
long ccurl_set_socket_callback(ccurl_easy *_Nonnull easy, ccurl_socket_callback _Nullable callback);
/// Creates the handle's sockets close-on-exec from the start, so that children never inherit them.
///
/// Sets `shortage` to the error number if the process or the system has no descriptor or memory for a socket.
long ccurl_open_sockets_close_on_exec(ccurl_easy *_Nonnull easy, int *_Nonnull shortage);
/// Makes the wakeup descriptors of a loop close-on-exec if libcurl does not (before 8.10).
void ccurl_keep_wakeup_from_children(ccurl_multi *_Nonnull multi);
/// Runs a function on a new detached thread; returns 0, or an error number such as EAGAIN if no thread can be created.
int ccurl_start_thread(void *_Nullable (*_Nonnull run)(void *_Nullable context), void *_Nonnull context);
/// Names the calling thread and blocks SIGPIPE for it.
void ccurl_begin_loop(void);
/// Call these before and after Swift code in a callback of libcurl, which does not count as inside libcurl because it may
/// end the process. The first returns the argument of the second.
int ccurl_step_out(void);
void ccurl_step_in(int former_depth);
// The turn that the calling thread has set for its loop; null on any other thread.
void *_Nullable ccurl_turn(void);
void ccurl_set_turn(void *_Nullable turn);
// Returns whether the connection of a socket has these addresses; that of the peer is not compared after a reset.
int ccurl_connects(
    int descriptor, const char *_Nonnull local, int local_port, const char *_Nonnull remote, int remote_port);
// Returns whether a socket has input to read, including its end.
int ccurl_has_input(int descriptor);
// Returns whether the peer has closed or reset the connection of a socket.
int ccurl_is_closed(int descriptor);
/// Returns the system's error number if no descriptor is free, otherwise 0.
int ccurl_descriptor_shortage(void);
/// Returns the maximum number of descriptors of the process.
int ccurl_descriptor_limit(void);
/// Sets `flag` to 1 when a connection delivers more bytes than the response declared, which libcurl reports only in its
/// log.
long ccurl_watch_excess(ccurl_easy *_Nonnull easy, int *_Nonnull flag);
void ccurl_pause(ccurl_easy *_Nonnull easy, long directions);
int64_t ccurl_info(ccurl_easy *_Nonnull easy, long info);
/// Returns a text owned by the handle, or null if there is none or libcurl does not support the value.
const char *_Nullable ccurl_info_text(ccurl_easy *_Nonnull easy, long info);
const char *_Nonnull ccurl_message(long code);
/// Returns the pointer that was set as CCURL_OPT_PRIVATE.
void *_Nullable ccurl_context(ccurl_easy *_Nonnull easy);

/// Appends a copy of the text and returns the list, or null if memory is exhausted; the old list is then unchanged.
ccurl_list *_Nullable ccurl_list_append(ccurl_list *_Nullable list, const char *_Nonnull text);
void ccurl_list_free(ccurl_list *_Nullable list);

ccurl_multi *_Nullable ccurl_multi_make(void);
void ccurl_multi_free(ccurl_multi *_Nonnull multi);
void ccurl_multi_set_long(ccurl_multi *_Nonnull multi, long option, long value);
long ccurl_multi_add(ccurl_multi *_Nonnull multi, ccurl_easy *_Nonnull easy);
void ccurl_multi_remove(ccurl_multi *_Nonnull multi, ccurl_easy *_Nonnull easy);
void ccurl_multi_work(ccurl_multi *_Nonnull multi);
/// Waits for activity on a transfer, for at most the given number of milliseconds.
void ccurl_multi_wait(ccurl_multi *_Nonnull multi, int milliseconds);
/// Sleeps for a number of milliseconds; a signal may end it early.
void ccurl_rest(int milliseconds);
/// Ends the current or the next wait. This is the only call that other threads may make.
int ccurl_multi_wake(ccurl_multi *_Nonnull multi);
/// Returns the next finished transfer and its result, or null if there is none.
ccurl_easy *_Nullable ccurl_multi_next_done(ccurl_multi *_Nonnull multi, long *_Nonnull result);

typedef struct cdecode cdecode;

enum {
  CDECODE_MORE = 0,
  CDECODE_END = 1,
  CDECODE_INVALID = -1,

  /// gzip (RFC 1952) or zlib (RFC 1950) data, distinguished by the header.
  CDECODE_ZLIB = 0,
  /// Raw deflate data (RFC 1951).
  CDECODE_RAW_DEFLATE = 1,
  /// Brotli data (RFC 7932).
  CDECODE_BROTLI = 2,
  /// Zstandard data (RFC 8878).
  CDECODE_ZSTD = 3,
};

/// Returns whether the library for a kind of data was found. Call `ccurl_load` first.
int cdecode_is_available(int kind);
/// Creates a decoder for a kind of data; returns null if its library was not found or memory is exhausted.
cdecode *_Nullable cdecode_make(int kind);
void cdecode_free(cdecode *_Nonnull decoder);
/// Starts the next member or frame of the same kind; returns 0 if the kind allows one.
int cdecode_reset(cdecode *_Nonnull decoder);
/// Decodes as much as fits into the output. On entry the counts are the sizes; on return, the unused parts.
long cdecode_step(
    cdecode *_Nonnull decoder, const uint8_t *_Nonnull input, size_t *_Nonnull input_count,
    uint8_t *_Nonnull output, size_t *_Nonnull output_count);

#endif

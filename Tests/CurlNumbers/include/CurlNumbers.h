// Whether the numbers of Sources/CCurl were compared with the real header: 1, or 0 where it is not installed.
int curl_numbers_were_compared(void);

/// The media types of common file name extensions.
package enum MultipartMediaType {
  private static let types = [
    "aac": "audio/aac", "avif": "image/avif", "bmp": "image/bmp", "css": "text/css", "csv": "text/csv",
    "gif": "image/gif", "gz": "application/gzip", "heic": "image/heic", "heif": "image/heif", "htm": "text/html",
    "html": "text/html", "ico": "image/vnd.microsoft.icon", "jpeg": "image/jpeg", "jpg": "image/jpeg",
    "js": "text/javascript", "json": "application/json", "m4a": "audio/mp4", "m4v": "video/x-m4v",
    "md": "text/markdown", "mov": "video/quicktime", "mp3": "audio/mpeg", "mp4": "video/mp4", "ogg": "audio/ogg",
    "pdf": "application/pdf", "png": "image/png", "svg": "image/svg+xml", "tif": "image/tiff", "tiff": "image/tiff",
    "txt": "text/plain", "wav": "audio/wav", "webm": "video/webm", "webp": "image/webp", "xml": "application/xml",
    "zip": "application/zip",
  ]

  /// Returns the media type of a file name; `application/octet-stream` for an unknown extension.
  package static func ofFile(named name: String) -> String {
    guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")) else { return "application/octet-stream" }
    return types[String(name[name.utf8.index(after: dot)...]).loweredASCII] ?? "application/octet-stream"
  }
}

public import Foundation

/// What a request carries.
public enum RequestBody: Sendable {
  /// Nothing of its own.
  case empty
  /// A value, encoded as JSON with `Content-Type: application/json`.
  case json(any Encodable & Sendable)
  /// Parameters as a form, with `Content-Type: application/x-www-form-urlencoded`.
  case form(Parameters)
  /// Several parts, such as fields and files, with `Content-Type: multipart/form-data`.
  case multipart(Multipart)
  /// Bytes and what they are.
  case data(Data, contentType: String)
  /// A file, read while it is sent.
  case file(URL, contentType: String)
  /// Pieces that are made while they are sent.
  case stream(BodyStream, contentType: String)
}

/// Where a request's parameters go.
///
/// With a body of the request's own they go to the query in any case.
public enum ParameterPlacement: Sendable, Hashable {
  /// Into the query of `GET`, `HEAD` and `DELETE`, into a form (`application/x-www-form-urlencoded`) of all others.
  ///
  /// Requirement S0-6.
  case form
  /// Into the query of `GET`, `HEAD` and `DELETE`, into a JSON body of all others.
  case json
  /// Into the query, whatever the method.
  case query
  /// As older servers want it: common parameters into the query, the request's own as JSON into one field of a form.
  ///
  /// With `GET`, `HEAD` and `DELETE` all go into the query. Requirement S0-7.
  case legacy(field: String)
}

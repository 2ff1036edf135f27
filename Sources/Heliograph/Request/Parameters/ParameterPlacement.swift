/// The part of a request that carries its parameters: the query or the body.
///
/// If the request has a body of its own, the parameters always go into the query.
public enum ParameterPlacement: Sendable, Hashable {
  /// The query for `GET`, `HEAD` and `DELETE`; a form (`application/x-www-form-urlencoded`) for all other methods.
  case form
  /// The query for `GET`, `HEAD` and `DELETE`; a JSON body for all other methods.
  case json
  /// The query, whatever the method.
  case query
  /// For older servers: common parameters in the query, the request's own as JSON in one field of a form.
  ///
  /// With `GET`, `HEAD` and `DELETE` all parameters go into the query.
  case legacy(field: String)
}

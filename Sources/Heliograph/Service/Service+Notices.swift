extension Service {
  /// Notices about stored properties that are named like a setting but have another type, so that nothing reads them;
  /// only structures are searched: the properties of an object may change on another thread.
  var ignoredSettings: [String] {
    // Its children are not the stored properties.
    if self is any CustomReflectable { return [] }
    let mirror = Mirror(reflecting: self)
    guard mirror.displayStyle == .struct else { return [] }
    return mirror.children.compactMap { name, value in
      guard let name, let expected = settingTypes[name], type(of: value) != expected else { return nil }
      let types = "its type is \(type(of: value)) instead of \(expected)"
      return "`\(name)` of \(Self.self) is ignored: \(types); state the type in its declaration"
    }
  }
}

/// The types of the settings of a service that can be stored properties.
private let settingTypes: [String: any Any.Type] = [
  "id": ServiceID.self, "headers": HTTPHeaders.self, "common": [CommonParameters].self,
  "defaultCommon": [CommonParameters.Name].self, "placement": ParameterPlacement.self,
  "parameterRules": ParameterRules.self, "idleTimeout": Duration?.self, "waitsForConnectivity": Bool?.self,
  "allowedCosts": NetworkCosts?.self, "totalTimeout": Duration?.self, "filters": [any RequestFilter].self,
  "signer": (any Signer)?.self, "middleware": [any Middleware].self, "stages": Stages.self,
  "json": JSONCoding?.self, "messages": [NetworkError.Code: String].self, "retry": Retry?.self,
  "cache": CachePolicy.self, "ignoredParameters": Set<String>.self,
]

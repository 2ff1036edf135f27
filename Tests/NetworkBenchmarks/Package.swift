// swift-tools-version: 6.1
import PackageDescription

/// The same strict language as the library's own targets.
let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

/// A package of its own, because it starts programs, which iOS does not allow.
let package = Package(
  name: "NetworkBenchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "Heliograph", path: "../..")
  ],
  targets: [
    .executableTarget(
      name: "NetworkBenchmarks",
      dependencies: [
        .product(name: "Signals", package: "Heliograph"), .product(name: "Heliograph", package: "Heliograph"),
        .product(name: "HeliographTesting", package: "Heliograph"),
      ],
      path: "Sources", swiftSettings: settings)
  ]
)

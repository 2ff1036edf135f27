// swift-tools-version: 6.1
import PackageDescription

/// The same strict language as the library's own targets.
let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

/// A package of its own: it measures what a user of the library has, in another package and through the public API.
let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15), .iOS(.v18)],
  dependencies: [
    .package(name: "Heliograph", path: "../..")
  ],
  targets: [
    .executableTarget(
      name: "Benchmarks",
      dependencies: [
        .product(name: "Signals", package: "Heliograph"), .product(name: "Heliograph", package: "Heliograph"),
        "CAllocationCount",
      ],
      path: "Sources", swiftSettings: settings),
    .target(name: "CAllocationCount", path: "AllocationCount"),
  ]
)

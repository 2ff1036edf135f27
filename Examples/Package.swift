// swift-tools-version: 6.1
import PackageDescription

/// The same strict language as the library's own targets.
let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

/// Examples are a package of their own: what they need never becomes a dependency of the library.
let package = Package(
  name: "Examples",
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [
    .executable(name: "storefront", targets: ["Storefront"]),
    .executable(name: "firstday", targets: ["FirstDay"]),
    .executable(name: "courier", targets: ["Courier"]),
  ],
  dependencies: [
    .package(name: "Heliograph", path: "..")
  ],
  targets: [
    .executableTarget(
      name: "Storefront",
      dependencies: [
        .product(name: "Heliograph", package: "Heliograph"),
        .product(name: "HeliographInspector", package: "Heliograph"),
        .product(name: "HeliographTesting", package: "Heliograph"),
      ],
      resources: [.process("Fixtures")],
      swiftSettings: settings),
    .executableTarget(
      name: "FirstDay",
      dependencies: [
        .product(name: "Heliograph", package: "Heliograph"),
        .product(name: "HeliographTesting", package: "Heliograph"),
      ],
      swiftSettings: settings),
    .executableTarget(
      name: "Courier",
      dependencies: [
        .product(name: "Heliograph", package: "Heliograph"),
        .product(name: "HeliographInspector", package: "Heliograph"),
      ],
      swiftSettings: settings),
    .testTarget(
      name: "StorefrontTests",
      dependencies: ["Storefront", .product(name: "HeliographTesting", package: "Heliograph")],
      swiftSettings: settings),
    .testTarget(
      name: "FirstDayTests",
      dependencies: ["FirstDay", .product(name: "HeliographTesting", package: "Heliograph")],
      swiftSettings: settings),
    .testTarget(
      name: "CourierTests",
      dependencies: ["Courier", .product(name: "HeliographTesting", package: "Heliograph")],
      swiftSettings: settings),
  ]
)

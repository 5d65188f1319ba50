/// The devices that an app reaches. ``rows`` declares what differs by platform; a new platform adds a row.
package struct Platform: RawRepresentable, Hashable, Sendable, CaseIterable, CustomStringConvertible {
    /// In ``rows``.
    private let place: Int

    private init(place: Int) { self.place = place }

    /// nil: there is no such platform.
    package init?(rawValue: String) {
        guard let place = Self.rows.firstIndex(where: { $0.name == rawValue }) else { return nil }
        self.place = place
    }

    package static let ios = Platform(place: 0)
    package static let android = Platform(place: 1)
    /// Whatever a connector of the operator's own reaches: other devices, or people by another channel.
    package static let other = Platform(place: 2)

    package static let allCases = rows.indices.map { Platform(place: $0) }

    package var rawValue: String { Self.rows[place].name }
    package var description: String { rawValue }
    package var rules: PlatformRules { Self.rows[place].rules }
    /// Apart from ``rules``, because it is asked of each row of an import.
    package var tokens: TokenForm { Self.rows[place].tokens }

    /// How device tokens are written.
    package enum TokenForm: Sendable {
        /// Two hex digits a byte; case does not matter.
        case hexDigits
        /// Visible ASCII characters.
        case visibleText
    }

    package static func == (one: Self, other: Self) -> Bool { one.place == other.place }
    package func hash(into hasher: inout Hasher) { hasher.combine(place) }

    private static let rows: [(name: String, tokens: TokenForm, rules: PlatformRules)] = [
        ("ios", .hexDigits, PlatformRules(isReserved: { $0 == "aps" })),
        (
            "android", .visibleText,
            PlatformRules(
                isReserved: {
                    $0 == "_msg" || $0 == "from" || $0 == "message_type" || $0.hasPrefix("google")
                        || $0.hasPrefix("gcm")
                },
                hasNull: false)
        ),
        ("other", .visibleText, PlatformRules()),
    ]
}

/// What is different on one platform than on others.
package struct PlatformRules: Sendable {
    /// Whether the gateway or the SDK gives a name of a payload's member a meaning of its own, besides the ids' names.
    package var isReserved: @Sendable (String) -> Bool = { _ in false }
    /// Whether a member of a payload can be null.
    package var hasNull = true
}

/// The devices that an app reaches. ``rows`` declares the differences between platforms; a new platform adds
/// a row.
package struct Platform: RawRepresentable, Hashable, Sendable, CaseIterable, CustomStringConvertible {
    /// The index in ``rows``.
    private let place: Int

    private init(place: Int) { self.place = place }

    /// `nil` if there is no such platform.
    package init?(rawValue: String) {
        guard let place = Self.rows.firstIndex(where: { $0.name == rawValue }) else { return nil }
        self.place = place
    }

    package static let ios = Platform(place: 0)
    package static let android = Platform(place: 1)
    /// Everything that an operator's own connector reaches: other devices, or people through another channel.
    package static let other = Platform(place: 2)

    package static let allCases = rows.indices.map { Platform(place: $0) }

    package var rawValue: String { Self.rows[place].name }
    package var description: String { rawValue }
    package var rules: PlatformRules { Self.rows[place].rules }
    /// Separate from ``rules``, because imports query it for each row.
    package var tokens: TokenForm { Self.rows[place].tokens }

    /// The form in which device tokens are written.
    package enum TokenForm: Sendable {
        /// Each byte is two hex digits. Case is ignored.
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

/// The properties in which platforms differ.
package struct PlatformRules: Sendable {
    /// Reports whether the gateway or the SDK reserves the name of a payload member. The names of the two
    /// ids, `_mId` and `_dId`, are not included.
    package var isReserved: @Sendable (String) -> Bool = { _ in false }
    /// Whether a payload member can be null.
    package var hasNull = true
}

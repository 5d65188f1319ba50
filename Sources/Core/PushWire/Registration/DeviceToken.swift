package import PushModel

/// The only check of device tokens, whatever their source: registrations, imports, documents, lists, command
/// lines and gateways.
package enum DeviceToken {
    /// Returns the token as the store keeps it, or `nil` if the text is not a token of this platform.
    package static func canonical(_ text: String, for platform: Platform) -> String? {
        switch check(text.utf8.span, for: platform) {
        case .canonical: text
        case .respelled: APNsTokenText.canonical(text)
        case .invalid: nil
        }
    }

    /// Returns a token that a caller names without its platform, in the spelling that the store uses for apps
    /// of these platforms. A text that is not a token of any of these platforms is returned unchanged and
    /// matches no subscriber.
    package static func spelled(_ text: String, for platforms: some Sequence<Platform>) -> String {
        platforms.contains { $0.tokens == .hexDigits } ? spelledInHex(text) : text
    }

    /// Returns a token in the spelling that the store uses for hexadecimal tokens. Use it if at least one of
    /// the platforms in question has hexadecimal tokens.
    package static func spelledInHex(_ text: String) -> String { APNsTokenText.canonical(text) ?? text }

    /// Reports whether a text is a placeholder for a missing token, and therefore not a token of any
    /// platform.
    package static func isPlaceholder(_ text: String) -> Bool { PlaceholderText.contains(text) }

    /// - Returns: Whether these bytes are a token, and whether the store spells it differently.
    static func check(_ bytes: borrowing Span<UInt8>, for platform: Platform) -> APNsTokenText.Form {
        switch platform.tokens {
        case .hexDigits: return APNsTokenText.check(bytes)
        case .visibleText:
            guard !bytes.isEmpty, bytes.count <= SubscriberLimits.tokenBytes else { return .invalid }
            var isVisible = true
            for index in bytes.indices where bytes[index] <= 0x20 || bytes[index] >= 0x7F {
                isVisible = false
            }
            guard isVisible else { return .invalid }
            // FCM tokens have more than a hundred characters, so only a short text needs the comparison.
            guard bytes.count < 16 else { return .canonical }
            let text = unsafe bytes.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
            return isPlaceholder(text) ? .invalid : .canonical
        }
    }

    /// Returns the allowed form, for error messages.
    package static func allowed(for platform: Platform) -> String {
        switch platform.tokens {
        case .hexDigits: "an even number of hex digits, at most \(APNsTokenText.maximumCharacters)"
        case .visibleText:
            """
            visible ASCII characters, at most \(SubscriberLimits.tokenBytes), and not a placeholder such \
            as null
            """
        }
    }
}

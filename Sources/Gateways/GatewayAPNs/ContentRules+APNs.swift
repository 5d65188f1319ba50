package import GatewayKit
package import PushModel

extension ContentRules {
    /// APNs' rules for contents. They apply to both APNs protocols.
    package static let apns = {
        var rules = ContentRules()
        rules.section = IOSContent.name
        rules.mismatch = { content, app in
            guard content.ios.type == .location, app.credentialIdentity.hasPrefix("certificate:") else {
                return nil
            }
            return
                "content.ios.type: app \(app.name) has a certificate, but Apple accepts location pushes only "
                + "with a token key"
        }
        rules.hidesTexts = { content in
            // If a push shows nothing on Apple devices, its title and body are for Android apps only.
            content.ios.type == .alert
                ? nil
                : """
                a \(content.ios.type.rawValue) push is not shown, and no app of the delivery shows texts on \
                other devices; remove it, or set ios.type to "alert"
                """
        }
        rules.sound = { content in
            switch content.ios.sound {
            case .named(let name), .critical(let name, _): name
            case nil: nil
            }
        }
        rules.category = { $0.ios.type == .alert ? $0.ios.category : nil }
        rules.withoutEffect = { content, app in
            guard content.ios.type == .alert, hasMedia(content, app), !content.ios.mutableContent,
                content.ios.category == nil
            else { return [] }
            return [
                """
                iOS does not show the media of variable \(mediaVariable): only an extension of the app can \
                load them, and the system calls it because of content.ios.mutableContent or \
                content.ios.category; set one of them
                """
            ]
        }
        rules.replacement = { content in
            var names = ReplacementNames(keys: ["ios.collapseId"])
            names.members = [("type", content.ios.type.rawValue)]
            if let id = content.common({ $0.ios.collapseID }) {
                names.members.append(("collapseId", id))
            } else {
                names.lack = "the content did not have ios.collapseId"
            }
            return names
        }
        return rules
    }()

    /// The variable that contains the address of a picture, a sound or a film, according to Campaign.
    package static let mediaVariable = "mediaUrl"

    package static func hasMedia(_ content: Content, _ app: AppSettings) -> Bool {
        app.hasValue(of: mediaVariable, in: content)
            || content.custom.contains { $0.name == mediaVariable && !$0.isNull }
    }
}

/// The template from which a content was created: its name within a service, and its version.
package struct TemplateVersion: Hashable, Sendable, CustomStringConvertible {
    package var name: String
    /// The version, from 1.
    package var version: Int64

    package init(name: String, version: Int64) {
        self.name = name
        self.version = version
    }

    package var description: String { "\(name), version \(version)" }
}

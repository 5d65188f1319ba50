/// The values that replace `$(NAME)` in a setting.
///
/// Relative paths first become `$(XTK_INSTALL_DIR)/…`, because both refer to the folder of the file.
/// Substituted values are not searched for further substitutions.
struct Substitutions {
    private let values: [(name: String, value: String)]
    let productVersion: String

    init(directory: String, instanceName: String, productVersion: String) {
        values = [
            (Self.directoryName, directory), ("INSTANCE_NAME", instanceName),
            ("PRODUCT_VERSION", productVersion),
        ]
        self.productVersion = productVersion
    }

    /// Returns a path from the file. A relative path is changed to start at the file's folder.
    static func anchored(_ path: String) -> String {
        path.hasPrefix("/") || path.hasPrefix("$(\(directoryName))") ? path : "$(\(directoryName))/\(path)"
    }

    /// Returns the text after substitution, or the first substitution in it that is unknown or not closed.
    func expand(_ text: String) -> Result<String, Unknown> {
        var expanded = ""
        var rest = text[...]
        while let open = rest.firstRange(of: "$(") {
            expanded += rest[..<open.lowerBound]
            guard let close = rest[open.upperBound...].firstIndex(of: ")") else {
                return .failure(Unknown(text: String(rest[open.lowerBound...]), known: known))
            }
            let name = rest[open.upperBound..<close]
            guard let found = values.first(where: { $0.name == name }) else {
                return .failure(Unknown(text: String(rest[open.lowerBound...close]), known: known))
            }
            expanded += found.value
            rest = rest[rest.index(after: close)...]
        }
        return .success(expanded + rest)
    }

    struct Unknown: Error, Equatable {
        var text: String
        var known: String
    }

    private static let directoryName = "XTK_INSTALL_DIR"
    private var known: String { values.map { "$(\($0.name))" }.joined(separator: ", ") }
}

/// Operations on paths as text, without access to a file system.
enum FilePath {
    /// Returns the folder that contains a file; `.` for a bare name.
    static func directory(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Returns the path without duplicate slashes, trailing slashes and `.` steps. `..` steps are kept,
    /// because their meaning depends on links.
    static func tidied(_ path: String) -> String {
        let steps = path.split(separator: "/").filter { $0 != "." }.joined(separator: "/")
        if path.hasPrefix("/") { return "/" + steps }
        return steps.isEmpty ? "." : steps
    }
}

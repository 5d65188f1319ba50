internal import ArgumentParser
package import PushAPI
internal import PushModel

struct AppCreate: MemberCommand {
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Create an application with its connection settings.",
        discussion: """
            The credential is checked before anything is stored. The status is 3 if a key cannot be parsed, \
            a password is wrong, or a certificate has expired or cannot be used by the connector.

            Each delivery must give a value for every variable that has no default and is not optional \
            (--variable name?). Content that names a sound or a category that the app does not declare \
            causes a warning. A parameter is of the kind text, number, date or boolean; the \
            default is text. If an app declares parameters, devices can register only with these parameters \
            and only with values of their kind.

            With --pair, the command creates two apps for development and production. A token key serves \
            both. Certificates are valid for one environment, so give one for each: --p12 for production and \
            --sandbox-p12 for the sandbox.

            Example: pushmta app create shop-ios --service shop --platform ios --integration-key \
            com.example.shop --connector iosHTTP2 --bundle-id com.example.shop --p8 \
            AuthKey_ABC1234567.p8 --key-id ABC1234567 --team-id DEF1234567
            """)

    @OptionGroup var members: MemberArguments<CreateApp>
    @OptionGroup(title: "Credential") var credential: CredentialOptions
    @OptionGroup(title: "Credential of the pair's app for the sandbox") var sandbox: SandboxCredentialOptions
    @OptionGroup var icon: IconOption
    @OptionGroup var config: ConfigurationOption
    @OptionGroup var json: JSONOption

    func run() throws {
        let others = [
            "credential": try credential.file()?.json, "icon": try icon.image()?.json,
            "sandboxCredential": try sandbox.file()?.json,
        ]
        try members.request(with: others).run(by: Operations(config), json)
    }
}

extension CreateApp: CommandUseCase {
    static let form = CommandForm(
        options: ["categories": "category"], without: ["credential", "sandboxCredential", "icon"])
    static func lines(_ change: AppChange) -> [String] { change.apps.map { "app \($0.name) created" } }
    static func conclude(_ change: AppChange) { change.announce() }
}

/// An icon file named on the command line; `-` is standard input.
struct IconOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The icon: a PNG of at least 48 by 48 pixels and at most 256 KiB.", valueName: "file"),
        completion: .file(extensions: ["png"]))
    var icon: String?

    /// Returns the image; `nil` if no file is named.
    func image() throws(CommandFailure) -> AppIconImage? {
        guard let icon else { return nil }
        // Files that are slightly too large are read as well, because the error that refuses them states what
        // to do.
        return AppIconImage(png: try FileReader.contents(of: icon, atMost: 2 * AppIcon.maximumBytes))
    }
}

// The command-line spellings of the model's small types.

extension AppVariable: ArgumentSpelling {
    package static let spelling = "name[?|=default]"

    /// Parses `NAME`, `NAME?` for an optional variable, or `NAME=DEFAULT`. The default may be empty and may
    /// contain further equal signs.
    package init?(argument: String) {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard var name = parts.first else { return nil }
        let isOptional = name.last == "?"
        if isOptional { name.removeLast() }
        guard !name.isEmpty else { return nil }
        self.init(
            name: String(name), defaultValue: parts.count > 1 ? String(parts[1]) : nil,
            isOptional: isOptional)
    }

    /// The variable as an argument.
    var argument: String {
        name + (isOptional ? "?" : "") + (defaultValue.map { "=\($0)" } ?? "")
    }
}

extension AppSound: ArgumentSpelling {
    package static let spelling = "internal=label"

    package init?(argument: String) {
        guard let (name, label) = internalNameAndLabel(in: argument) else { return nil }
        self.init(internalName: name, label: label)
    }
}

extension AppCategory: ArgumentSpelling {
    package static let spelling = AppSound.spelling

    package init?(argument: String) {
        guard let (name, label) = internalNameAndLabel(in: argument) else { return nil }
        self.init(internalName: name, label: label)
    }
}

/// Parses `INTERNAL=LABEL`.
private func internalNameAndLabel(in argument: String) -> (String, String)? {
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else { return nil }
    return (String(parts[0]), String(parts[1]))
}

extension ParameterDeclaration: ArgumentSpelling {
    package static let spelling = "name[:kind]"
    package static let rule =
        "\(spelling), with one of the kinds \(Kind.allCases.map(\.rawValue).joined(separator: ", "))"

    /// Parses `NAME` or `NAME:KIND`. A name may contain colons if a kind follows the last one.
    package init?(argument: String) {
        guard let colon = argument.lastIndex(of: ":") else {
            self.init(name: argument, kind: .text)
            return
        }
        let name = String(argument[..<colon])
        guard !name.isEmpty,
            let kind = ParameterDeclaration.Kind(rawValue: String(argument[argument.index(after: colon)...]))
        else { return nil }
        self.init(name: name, kind: kind)
    }
}

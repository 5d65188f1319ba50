internal import PushXML

/// The contents of a document, sorted by their meaning to this program: used settings with their positions,
/// and findings about the rest.
///
/// Only names are examined here; ``SettingsAssembly`` reads the values.
struct WrittenSettings {
    struct Value: Equatable {
        var text: String
        var position: SourcePosition
    }

    /// Values, keyed by the index of their key in ``ConfigurationSchema/keys``.
    private(set) var values: [Int: Value] = [:]
    /// Positions of used elements, keyed by path.
    private(set) var elements: [String: SourcePosition] = [:]
    private(set) var findings: [Finding] = []
    let schema: ConfigurationSchema

    /// Positions of data sources that are not the store.
    private var otherSources: [SourcePosition] = []
    private var ignored: [String: (position: SourcePosition, attributes: [String])] = [:]
    private var reported: Set<String> = []

    init(_ root: DocumentElement, _ schema: ConfigurationSchema) {
        self.schema = schema
        guard root.name == ConfigurationSchema.root else {
            let message = "the root element is \(quoted(root.name)), allowed: \(ConfigurationSchema.root)"
            findings = [Finding(.error, at: root.position, message)]
            return
        }
        visit(root, "")
        // Using PushMTA's default store instead would start an empty instance alongside the intended one.
        if let other = otherSources.first, elements[ConfigurationSchema.dataSource.path] == nil {
            let (path, name, attribute) = ConfigurationSchema.dataSource
            let message =
                """
                \(path)/@\(attribute): there is no data source named \(quoted(name)), the only one that \
                is used
                """
            findings.append(Finding(.error, at: other, message))
        }
        for (path, place) in ignored {
            let what =
                place.attributes.isEmpty
                ? "this section of Campaign is not used here"
                : "settings of Campaign that are not used here: \(place.attributes.joined(separator: ", "))"
            findings.append(Finding(.ignored, at: place.position, "\(path): \(what)"))
        }
    }

    private mutating func visit(_ element: DocumentElement, _ path: String) {
        elements[path] = element.position
        let campaign = CampaignElement.byPath[path]
        for attribute in element.attributes {
            if let key = schema.key(attribute.name, of: path) {
                values[key] = Value(text: attribute.value, position: attribute.valuePosition)
            } else if campaign?.attributes.contains(attribute.name[...]) == true {
                ignored[path, default: (element.position, [])].attributes.append(attribute.name)
            } else if path != ConfigurationSchema.dataSource.path
                || attribute.name != ConfigurationSchema.dataSource.nameAttribute
            {
                reportUnknown(attribute, in: path)
            }
        }
        if element.hasText {
            report(
                path,
                Finding(
                    .warning, at: element.position,
                    "\(shown(path)): its text is ignored; settings are attributes")
            )
        }
        for child in element.children { visitChild(child, of: path) }
    }

    private mutating func visitChild(_ child: DocumentElement, of parent: String) {
        let path = parent.isEmpty ? child.name : "\(parent)/\(child.name)"
        guard schema.isUsed(path) else { return visitUnused(child, path, in: parent) }
        if path == ConfigurationSchema.dataSource.path {
            let name =
                child.attribute(ConfigurationSchema.dataSource.nameAttribute)?.value
                ?? ConfigurationSchema.dataSource.name
            guard name == ConfigurationSchema.dataSource.name else {
                otherSources.append(child.position)
                let message =
                    "\(path): data source \(quoted(name)) is not used here; only "
                    + "\(quoted(ConfigurationSchema.dataSource.name)) is"
                return report("\(path)=\(name)", Finding(.ignored, at: child.position, message))
            }
        }
        if let first = elements[path] {
            let message = "\(path): appears twice, first at \(first.line):\(first.column); keep one"
            findings.append(Finding(.error, at: child.position, message))
            return
        }
        visit(child, path)
    }

    /// Visits an element that is not used. A Campaign section is reported once, at its outermost element.
    /// Names in the section that Campaign does not define are still reported individually.
    private mutating func visitUnused(_ element: DocumentElement, _ path: String, in parent: String) {
        guard let campaign = CampaignElement.byPath[path] else {
            return reportUnknown(element, path, in: parent)
        }
        if schema.isUsed(parent), ignored[path] == nil { ignored[path] = (element.position, []) }
        guard !campaign.isOpen else { return }
        for attribute in element.attributes where !campaign.attributes.contains(attribute.name[...]) {
            reportUnknown(attribute, in: path)
        }
        for child in element.children { visitUnused(child, "\(path)/\(child.name)", in: path) }
    }

    private mutating func reportUnknown(_ attribute: DocumentElement.Attribute, in path: String) {
        let full = "\(path.isEmpty ? ConfigurationSchema.root : path)/@\(attribute.name)"
        guard !reported.contains(full) else { return }
        var message = "unknown attribute \(shown(full))"
        if isFlood {
            // The finding will not be shown, and a search for a suggestion costs a thousand times as much as
            // the other checks.
        } else if let near = Suggestion.nearest(
            to: attribute.name, among: schema.attributes(of: path))
        {
            message += "; did you mean \(near)?"
        } else if let home = schema.onlyElement(withAttribute: attribute.name) {
            message += "; it belongs to \(home)"
        }
        report(full, Finding(.warning, at: attribute.namePosition, message))
    }

    private mutating func reportUnknown(_ element: DocumentElement, _ path: String, in parent: String) {
        guard !reported.contains(path) else { return }
        var message = "unknown element \(shown(path))"
        if isFlood {
            // The finding will not be shown, so it needs no suggestion.
        } else if let near = Suggestion.nearest(
            to: element.name, among: schema.children(of: parent))
        {
            message += "; did you mean \(near)?"
        } else if let home = schema.onlyElement(named: element.name) {
            message += "; it belongs in \(home)"
        }
        report(path, Finding(.warning, at: element.position, message))
    }

    /// Whether further findings are only counted, because they are not shown.
    private var isFlood: Bool { reported.count > ConfigurationFile.maximumFindings }

    /// Adds a finding, once per subject, however often the subject occurs.
    private mutating func report(_ subject: String, _ finding: Finding) {
        if reported.insert(subject).inserted { findings.append(finding) }
    }

    /// Returns a path in printable form. Names in the file may contain anything that XML allows in names, and
    /// may have any length.
    private func shown(_ path: String) -> String {
        path.isEmpty ? ConfigurationSchema.root : String(quoted(path, limit: 120).dropFirst().dropLast())
    }
}

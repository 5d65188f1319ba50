internal import PushAPI

extension Visit {
    /// Returns a form that submits to a path of the console. The form contains the session's token against
    /// forged requests and its idempotency key. Every form that changes something must be created with this
    /// function; otherwise the console refuses it.
    /// - Parameters:
    ///   - hasFiles: Whether the form uploads files.
    ///   - id: The form's id, for buttons outside the form.
    ///   - attributes: Further attributes of the form, each preceded by a space.
    package func form(
        action: ConsolePath, id: String? = nil, classes: StaticString? = "stack", hasFiles: Bool = false,
        attributes: HTML = .empty, _ content: () throws -> HTML
    ) rethrows -> HTML {
        let type = hasFiles ? "multipart/form-data" : nil
        // The script gives such a form its former key when the browser loads the page again.
        let once: HTML = "\("data-once", if: table.isOnce(action))"
        let content = try content()
        return """
            <form method="post" action="\(action)"\("id", is: id)\("class", is: classes?.description)\
            \("enctype", is: type)\(once)\(attributes)>\(hiddenFields)\(content)</form>
            """
    }

    /// Returns a form that consists of one button.
    /// - Parameter subject: The object that the button acts on, which only screen readers read out.
    package func button(
        _ label: Phrase, action: ConsolePath, subject: String? = nil, classes: StaticString = ""
    ) -> HTML {
        form(action: action, classes: "inline") {
            """
            <button class="button \(classes.description)">\(label)\(subject.map(Self.hiddenSubject))</button>
            """
        }
    }

    private static func hiddenSubject(_ subject: String) -> HTML {
        "<span class=\"hidden-text\"> \(name: subject)</span>"
    }

    /// The hidden fields that every form has.
    var hiddenFields: HTML {
        """
        <input type="hidden" name="\(FormNames.csrf)" value="\(session.csrf)">\
        <input type="hidden" name="\(FormNames.key)" value="\(formKey)">\
        <input type="hidden" name="\(FormNames.owner)" value="\(session.person)">
        """
    }

    /// Returns hidden fields with the values of another form.
    static func hidden(_ fields: FormFields) -> HTML {
        fields.fields.map { "<input type=\"hidden\" name=\"\($0.name)\" value=\"\($0.value)\">" as HTML }
            .joined()
    }
}

"""Mutants: small changes of the code of functions that some test should notice."""

import ast
import copy
import gc
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FunctionType

_COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
_CALCULATED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}

# Spaces in a text that makes it a sentence for people.
_WORDS = 2


@dataclass(frozen=True)
class Mutant:
    """A changed node of a file: the `number` of the change among all of the file."""

    path: Path
    number: int
    line: int
    change: str
    is_guard: bool

    def __str__(self) -> str:
        return f"{self.path}:{self.line} #{self.number} {self.change}"

    def apply(self) -> bool:
        """Change the loaded functions of this process; return whether some were found."""
        tree = ast.parse(self.path.read_text())
        list(_changes(tree, self.number))
        new = dict(_codes(compile(ast.fix_missing_locations(tree), str(self.path.resolve()), "exec")))
        # `tests/conftest.py` hides from the collector what was imported.
        gc.unfreeze()
        found = False
        for function in [thing for thing in gc.get_objects() if isinstance(thing, FunctionType)]:
            code = function.__code__
            if code.co_filename.endswith(str(self.path)):
                changed = new.get((code.co_qualname, code.co_firstlineno), code)
                found |= code != changed
                function.__code__ = changed
        return found


def mutants_of(path: Path) -> list[Mutant]:
    """Return all mutants of a file."""
    tree = ast.parse(path.read_text())
    return [Mutant(path, *found) for found in _changes(tree, None)]


def _codes(code: CodeType) -> Iterator[tuple[tuple[str, int], CodeType]]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield (constant.co_qualname, constant.co_firstlineno), constant
            yield from _codes(constant)


def _changes(tree: ast.AST, wanted: int | None) -> Iterator[tuple[int, int, str, bool]]:
    """Yield number, line, description and guard of each change; carry out the wanted one in the tree."""
    number = 0
    for node, parent, name, index in _nodes(tree, inside=False, told=False):
        for new in _variants(node):
            if number == wanted:
                _put(parent, name, index, new)
                return
            yield number, node.lineno, _described(node, new), _is_guard(node)  # type: ignore[attr-defined]
            number += 1


def _put(parent: ast.AST, name: str, index: int | None, new: ast.AST) -> None:
    if index is None:
        setattr(parent, name, new)
    else:
        getattr(parent, name)[index] = new


def _nodes(tree: ast.AST, *, inside: bool, told: bool) -> Iterator[tuple[ast.AST, ast.AST, str, int | None]]:
    """Yield each node inside a function, with its parent, field and index. `told` is inside an error."""
    for name, value in ast.iter_fields(tree):
        # Annotations, defaults and decorators run once, at import.
        if name in {"annotation", "returns", "decorator_list"} or isinstance(value, ast.arguments):
            continue
        for index, node in enumerate(value) if isinstance(value, list) else [(None, value)]:
            # No test should repeat the texts of errors and logs word by word.
            if not isinstance(node, ast.AST) or _is_text(node, told=told):
                continue
            if inside:
                yield node, tree, name, index
            is_function = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
            yield from _nodes(node, inside=inside or is_function, told=told or _tells(node))


def _is_text(node: ast.AST, *, told: bool) -> bool:
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant) or ast.unparse(node).startswith("logger.")
    text = node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
    return isinstance(node, ast.JoinedStr) or (told and text != "") or text.count(" ") >= _WORDS


def _tells(node: ast.AST) -> bool:
    return isinstance(node, ast.Raise) or (
        isinstance(node, ast.Call) and ast.unparse(node.func).endswith(("Error", "Exception", "cast"))
    )


def _is_guard(node: ast.AST) -> bool:
    if isinstance(node, ast.Raise):
        return True
    call = node.value if isinstance(node, ast.Expr) else None
    call = call.value if isinstance(call, ast.Await) else call
    if not isinstance(call, ast.Call):
        return False
    called = ast.unparse(call.func).rpartition(".")[2].lstrip("_")
    return called.startswith(("check", "require", "refuse", "raise_", "ensure", "must", "allow", "guard"))


def _described(old: ast.AST, new: ast.AST) -> str:
    return " ".join(f"{ast.unparse(old)[:90]} → {ast.unparse(new)[:60]}".split())


def _variants(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the changed copies of one node."""
    new = _changed_statement(node) if isinstance(node, ast.stmt) else _changed_expression(node)
    if new is not None:
        yield ast.copy_location(new, node)
    if isinstance(node, ast.Call):
        for keyword in node.keywords:
            if keyword.arg is not None:
                fewer = copy.copy(node)
                fewer.keywords = [other for other in node.keywords if other is not keyword]
                yield fewer


def _changed_statement(node: ast.stmt) -> ast.AST | None:
    new = copy.deepcopy(node)
    match new:
        case ast.Raise() | ast.Expr(value=ast.Call() | ast.Await()):
            # Kept for the compiler under a false condition: a function has the same free variables.
            return ast.If(ast.Constant(value=False), [new], [])
        case ast.Break() | ast.Continue():
            return ast.Pass()
        case ast.If() | ast.While():
            new.test = ast.UnaryOp(ast.Not(), new.test)
            return new
        case ast.AugAssign() if type(new.op) in _CALCULATED:
            new.op = _CALCULATED[type(new.op)]()
            return new
        case ast.Return(value=ast.expr() as value) if not isinstance(value, ast.Constant):
            new.value = ast.IfExp(ast.Constant(value=False), value, ast.Constant(value=None))
            return new
    return None


def _changed_expression(node: ast.AST) -> ast.AST | None:
    new = copy.deepcopy(node)
    match new:
        case ast.Compare(ops=[operator]) if type(operator) in _COMPARED:
            new.ops = [_COMPARED[type(operator)]()]
        case ast.BoolOp():
            new.op = ast.Or() if isinstance(new.op, ast.And) else ast.And()
        case ast.BinOp() if type(new.op) in _CALCULATED:
            new.op = _CALCULATED[type(new.op)]()
        case ast.IfExp():
            new.test = ast.UnaryOp(ast.Not(), new.test)
        case ast.UnaryOp(op=ast.Not() | ast.USub()):
            return new.operand
        case ast.Constant(value=bool() | int() | str() as value):
            new.value = _other(value)
        case _:
            return None
    return new


def _other(value: bool | int | str) -> bool | int | str:
    if isinstance(value, bool):
        return not value
    return value + 1 if isinstance(value, int) else f"{value}?"

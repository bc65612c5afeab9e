// Before anything is painted: the theme that was chosen here, else the system's own.
{
  const chosen = localStorage.getItem("theme");
  if (chosen) document.documentElement.dataset.theme = chosen;
}

// Before anything is painted: the theme that was chosen here, else in the settings, else the system's own.
{
  const chosen = localStorage.getItem("theme");
  if (chosen === "system") delete document.documentElement.dataset.theme;
  else if (chosen) document.documentElement.dataset.theme = chosen;
}
